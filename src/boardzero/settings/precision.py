"""With how many bits networks compute, when they play and when they learn."""

from typing import Literal

Precision = Literal["auto", "float", "int8"]  # auto: int8 where the processor is fast with bytes
TrainingPrecision = Literal["auto", "float", "bfloat16"]  # auto: bfloat16 where the processor multiplies such numbers itself
