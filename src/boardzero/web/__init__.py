"""The page: play, study and watch the training, served over HTTP."""
