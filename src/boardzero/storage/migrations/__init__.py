"""How one version of the tables becomes the next."""
