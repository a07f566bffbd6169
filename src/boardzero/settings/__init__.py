"""Typed settings: what a user may say, in one grammar, checked at the border."""
