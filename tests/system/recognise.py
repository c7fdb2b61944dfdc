"""Transcribes 16 kHz WAV files, one line each, with pocketsphinx's default English model."""

import sys
import wave

from pocketsphinx import Decoder

for path in sys.argv[1:]:
    with wave.open(path, "rb") as audio:
        decoder = Decoder(samprate=audio.getframerate(), loglevel="FATAL")
        decoder.start_utt()
        decoder.process_raw(audio.readframes(audio.getnframes()), full_utt=True)
        decoder.end_utt()
    hypothesis = decoder.hyp()
    print(hypothesis.hypstr if hypothesis else "", flush=True)
