"""The durable memory of self-play: game records, journals and shards on disk, the window, and sampling for training."""
