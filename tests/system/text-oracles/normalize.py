"""Normalizes the lines of standard input: `normalize.py wetext zh`, `normalize.py nemo en FOLDER`."""

import logging
import sys

logging.disable(logging.CRITICAL)
oracle, language = sys.argv[1:3]
lines = [line.rstrip("\n") for line in sys.stdin]

if oracle == "wetext":
    from wetext import Normalizer

    normalizer = Normalizer(lang=language, operator="tn")
    normalize = normalizer.normalize
else:
    from nemo_text_processing.text_normalization.normalize import Normalizer

    # Compiled grammars go to the folder.
    normalizer = Normalizer(input_case="cased", lang=language, cache_dir=sys.argv[3])

    def normalize(line):
        return normalizer.normalize(line, verbose=False, punct_post_process=True)


for line in lines:
    try:
        print(normalize(line))
    except Exception as error:  # Both fail on some lines.
        print(f"failed: {type(error).__name__}")
