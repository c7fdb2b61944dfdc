"""The tokenizer of the demo checkpoint: one token a character, byte fallback, no merges."""

PUNCTUATION = ".,!?'\"-:;()&%$#@/+=*_[]<>~^|{}"
# What stands for words that the training spells out has no tokens, so svc warns of it.
LEFT_OUT = "0123456789&%$#@"
SPACE = "▁"
AUDIO_START, AUDIO_END, PROMPT_START, PROMPT_END = 101, 102, 103, 104
SPECIAL = ["<unk>", "<s>", "</s>", "<|audio_start|>", "<|audio_end|>", "<|audio_prompt_start|>", "<|audio_prompt_end|>"]


def vocabulary():
    """The 384 tokens in order of their ids."""
    tokens = ["<unk>", "<s>", "</s>", SPACE]
    tokens += [chr(ord("a") + i) for i in range(26)] + [chr(ord("A") + i) for i in range(26)]
    tokens += [*"0123456789", *PUNCTUATION, "’", "‘", "“", "”"]
    tokens = [f"<|unused_{i}|>" if token in LEFT_OUT else token for i, token in enumerate(tokens)]
    tokens += [f"<|unused_{i}|>" for i in range(len(tokens), AUDIO_START)]
    tokens += SPECIAL[3:]
    tokens += [f"<0x{i:02X}>" for i in range(256)]
    return tokens + [f"<|unused_{i}|>" for i in range(len(tokens), 384)]


VOCABULARY = vocabulary()
ID = {token: i for i, token in enumerate(VOCABULARY)}


def encode(text):
    """Ids of a text without its leading space, in lower case: capitals share the rows of small letters."""
    return [ID[c] for c in text.lower().replace(" ", SPACE)]


def shared_rows():
    """{row: the row whose embedding it takes}: tokens that the training never shows sound like one that it does."""
    rows = {ID[chr(ord("A") + i)]: ID[chr(ord("a") + i)] for i in range(26)}
    rows |= {ID["’"]: ID["'"], ID["‘"]: ID["'"]}
    rows |= {ID[c]: ID[","] for c in [*"“”\"()[]{}<>*_~^|", *(f"<0x{i:02X}>" for i in range(256))]}
    return rows | {ID[c]: ID[SPACE] for c in ["/", "+", "=", "<0x0A>", "<0x09>", "<0x20>"]}
