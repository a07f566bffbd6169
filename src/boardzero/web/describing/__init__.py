"""Games and positions as the page draws them."""
