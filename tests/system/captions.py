"""Reads caption files with pysubs2 and webvtt-py: JSON of [start, end, text] in milliseconds for each file and reader."""

import html
import json
import sys

import pysubs2
import webvtt


def milliseconds(stamp):
    return round(1000 * (stamp.hours * 3600 + stamp.minutes * 60 + stamp.seconds) + stamp.milliseconds)


def plain(text, path):
    """In one line; both readers leave the entities of WebVTT as they are."""
    line = text.replace("\n", " ")
    return html.unescape(line) if path.endswith(".vtt") else line


def read(path):
    lines = [[event.start, event.end, plain(event.plaintext, path)] for event in pysubs2.load(path)]
    if path.endswith(".ass"):
        return {"pysubs2": lines}
    parse = webvtt.from_srt if path.endswith(".srt") else webvtt.read
    captions = [
        [milliseconds(caption.start_time), milliseconds(caption.end_time), plain(caption.text, path)]
        for caption in parse(path)
    ]
    return {"pysubs2": lines, "webvtt-py": captions}


print(json.dumps([read(path) for path in sys.argv[1:]]))
