"""Random draws of the search, from the streams of `games/randomness.py`; called by compiled and plain code alike."""

import math

from boardzero.games.compiled import compiled
from boardzero.games.randomness import Stream, draw_uniform

SMALLEST = 1e-300  # keeps logarithms finite


@compiled()
def draw_gumbel(stream: Stream) -> float:
    """From the standard Gumbel distribution."""
    return -math.log(-math.log(max(draw_uniform(stream), SMALLEST)) + SMALLEST)


@compiled()
def draw_normal(stream: Stream) -> float:
    """From the standard normal distribution (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(max(draw_uniform(stream), SMALLEST)))
    return radius * math.cos(2.0 * math.pi * draw_uniform(stream))


@compiled()
def draw_gamma(stream: Stream, shape: float) -> float:
    """From the gamma distribution with scale 1 (Marsaglia and Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = max(draw_uniform(stream), SMALLEST) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        normal = draw_normal(stream)
        v = (1.0 + c * normal) ** 3
        if v > 0.0 and math.log(max(draw_uniform(stream), SMALLEST)) < 0.5 * normal * normal + d - d * v + d * math.log(v):
            return boost * d * v
