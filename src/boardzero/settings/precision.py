"""With how many bits networks compute when they play."""

from typing import Literal

Precision = Literal["auto", "float", "int8"]  # auto: int8 where the processor is fast with bytes
