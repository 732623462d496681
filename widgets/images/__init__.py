"""Pictures.

``view_model.ImageView``. ``gallery.GalleryView``: ``set_images(images, empty_text="", total=0)``,
``selected_index()``, signals ``selection_changed(index)``, ``image_activated(index)``.
``window_picture.WindowPicture``: ``set_view(WindowView)`` shows a window that slides over a grid.
"""
