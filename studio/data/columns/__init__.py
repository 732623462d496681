"""Choice of the columns of a table: what each is and what it is for."""
