"""What happened: typed reports that whoever wants to know can listen to, and nothing else."""
