"""Transcribes recordings with Whisper: `recognise.py FILE...` prints, for each, [[word, start, end], ...] in seconds as a line of JSON.

Numbers are written in words, as a listener hears them. WHISPER_MODEL is the folder of the model.
"""

import json
import os
import sys

from faster_whisper import WhisperModel

model = WhisperModel(os.environ["WHISPER_MODEL"], device="cpu", compute_type="int8", cpu_threads=2)
tokenizer = model.hf_tokenizer
numerals = [token for token in range(tokenizer.get_vocab_size()) if set(tokenizer.decode([token])) & set("0123456789%$")]

for path in sys.argv[1:]:
    # -1 stands for Whisper's own list of what is no speech.
    segments, _ = model.transcribe(path, language="en", word_timestamps=True, beam_size=1, suppress_tokens=[-1, *numerals])
    words = [word for segment in segments for word in segment.words]
    print(json.dumps([[word.word.strip(), float(word.start), float(word.end)] for word in words]), flush=True)
