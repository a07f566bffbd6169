"""Many machines: self-play, matches and the learner on Ray. Nothing else in the program imports ray."""
