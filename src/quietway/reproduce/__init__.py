"""How far published tables are from the truth: the measures that comparisons and reproductions share."""
