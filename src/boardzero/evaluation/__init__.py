"""What was learned, as figures: ratings, experiments, reports."""
