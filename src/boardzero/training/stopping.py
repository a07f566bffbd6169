"""How a run is ended before its end."""


class Stopped(Exception):
    """Somebody asked the run to stop; whoever runs it may resume it later."""
