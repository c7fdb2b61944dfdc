"""Writes the demo's voices: `prompts.py --work DIR --output models/voices`, a recording and its transcript of each.

Each is the sentence, of those held back from the training, whose speech is nearest to LENGTH.
"""
import argparse
import pathlib

import numpy as np
import scipy.io.wavfile

import features
import speakers

LENGTH = 3.6  # seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for speaker in speakers.CATALOGUE:
        chunk = np.load(options.work / "chunks" / f"held-back-{speaker.name}.npz")
        chosen = np.abs(chunk["lengths"] / features.SAMPLE_RATE - LENGTH).argmin()
        end = chunk["lengths"][:chosen + 1].sum()
        sound = chunk["sound"][end - chunk["lengths"][chosen]:end]
        scipy.io.wavfile.write(options.output / f"{speaker.name}.wav", features.SAMPLE_RATE, sound)
        (options.output / f"{speaker.name}.txt").write_text(f"{chunk['texts'][chosen]}\n")


if __name__ == "__main__":
    main()
