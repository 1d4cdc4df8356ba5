"""The three shapes in which a read sees evidence; each gives a selection of one file."""
