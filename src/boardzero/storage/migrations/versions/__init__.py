"""One file a version; a version that has been released is never changed."""
