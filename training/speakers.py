"""The voices of the demo checkpoint: a teacher of Debian's, and how its speech is resampled.

`warp` scales pitch and formants together, as a smaller or larger speaker would; `stretch` is the teacher's own length
of sounds, which keeps the tempo where the warp would change it (the HTS teacher knows no stretch).
"""
import dataclasses
import math
import random


@dataclasses.dataclass(frozen=True)
class Speaker:
    name: str
    teacher: str
    warp: float = 1.0
    stretch: float = 1.0


# The voices of `models/voices`, the first of which speaks where no prompt is given.
CATALOGUE = [
    Speaker("alma", "slt_hts"),
    Speaker("bruno", "rms"),
    Speaker("celia", "slt", 1.12, 1.1),
    Speaker("dylan", "awb"),
    Speaker("emil", "kal16", 0.90, 0.95),
    Speaker("flora", "slt_hts", 1.25),
    Speaker("george", "rms", 0.86, 0.92),
    Speaker("hugo", "kal_diphone", 1.12, 1.05),
    Speaker("iris", "slt", 0.87, 0.85),
    Speaker("jonas", "awb", 1.18, 1.18),
]
# Never heard in training; the evaluation asks whether a prompt of it is followed.
HELD_OUT = Speaker("held-out", "ked_diphone")
FLITE = ["slt", "rms", "awb", "kal16"]
FESTIVAL = {"slt_hts": "cmu_us_slt_arctic_hts", "kal_diphone": "kal_diphone", "ked_diphone": "ked_diphone"}


def speaker_of_chunk(number):
    """The speaker of a chunk of the data: a quarter the first voice, 40 % the others, 35 % anybody between them."""
    rng = random.Random(f"speaker {number}")
    kind = rng.random()
    if kind < .25:
        return CATALOGUE[0]
    if kind < .65:
        return rng.choice(CATALOGUE[1:])
    teacher = rng.choice(["slt_hts", "slt", "rms", "rms", "awb", "awb", "kal16", "kal_diphone"])
    warp = math.exp(rng.uniform(math.log(.82), math.log(1.28)))
    stretch = warp * math.exp(rng.uniform(math.log(.85), math.log(1.2)))
    return Speaker(f"{teacher}-{warp:.3f}-{stretch:.3f}", teacher, warp, stretch)
