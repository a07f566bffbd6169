"""Everyone who thinks for the page, in threads of their own, behind a bounded queue."""
