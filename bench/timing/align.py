"""Prints, for each recording of main.ts, when its words start, in seconds; null where the aligner finds no path."""

import json
import re
import sys

from pocketsphinx import Decoder

folder = sys.argv[1]
decoder = Decoder(samprate=16000, bestpath=False, loglevel="FATAL")


def starts(index, words):
    spoken = [re.sub(r"[^a-z']", "", word.lower()) for word in words]
    with open(f"{folder}/{index}.raw", "rb") as file:
        pcm = file.read()
    decoder.set_align_text(" ".join(spoken))
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    found = [segment for segment in decoder.seg() or [] if segment.word[0] not in "<[("]
    return [segment.start_frame / 100 for segment in found] if len(found) == len(spoken) else None


with open(f"{folder}/words.json", encoding="utf8") as file:
    print(json.dumps([starts(index, words) for index, words in enumerate(json.load(file))]))
