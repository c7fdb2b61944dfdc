"""Writes the demo's voices: `prompts.py --work DIR --output models/voices`, a recording and its transcript of each.

Each is the sentence, of those held back from the training, whose speech is nearest to LENGTH, or a CHOSEN one.
"""
import argparse
import pathlib

import scipy.io.wavfile

import chunks
import features
import speakers

LENGTH = 3.6  # seconds
# After the one that is nearest to LENGTH, texts that begin with "Hello there" lost these words.
CHOSEN = {"flora": "I hope the list key is going to surface again."}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for speaker in speakers.CATALOGUE:
        wanted = CHOSEN.get(speaker.name)
        said = [u for u in chunks.held_back(options.work, speaker) if wanted in (None, u.text)]
        chosen = min(said, key=lambda u: abs(len(u.sound) / features.SAMPLE_RATE - LENGTH))
        scipy.io.wavfile.write(options.output / f"{speaker.name}.wav", features.SAMPLE_RATE, chosen.sound.numpy())
        (options.output / f"{speaker.name}.txt").write_text(f"{chosen.text}\n")


if __name__ == "__main__":
    main()
