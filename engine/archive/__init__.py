"""Archives of tensors, read without unpickling: files, and folders of shards."""
