"""Pages of the web: which addresses may be asked, how they are fetched within bounds, and what they say as text."""
