"""The paper's experiments beside ours, and the measures of error that comparisons share."""
