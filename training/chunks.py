"""The chunks that `synthesize.py` writes."""
import dataclasses
import json

import numpy as np
import torch

import features


@dataclasses.dataclass
class Utterance:
    text: str
    sound: torch.Tensor     # [FRAME n], int16
    features: torch.Tensor  # [n, SIZE]
    phones: torch.Tensor    # [2 n]
    places: torch.Tensor    # [2 n] of the text, in characters


def read(path):
    """(name of the speaker, its utterances)."""
    chunk = np.load(path)
    sound, seen, phones, places = (torch.from_numpy(chunk[name]) for name in ("sound", "features", "phones", "places"))
    utterances, at = [], 0
    for text, length in zip(chunk["texts"], (chunk["lengths"] // features.FRAME).tolist()):
        end = at + length
        utterances.append(Utterance(str(text), sound[at * features.FRAME:end * features.FRAME], seen[at:end].float(), phones[2 * at:2 * end], places[2 * at:2 * end]))
        at = end
    return json.loads(str(chunk["speaker"]))[0], utterances


def held_back(work, speaker):
    """The utterances of a speaker that no training hears."""
    return read(work / "chunks" / f"held-back-{speaker.name}.npz")[1]
