"""What Kokoro-FastAPI's examples request with the `openai` package: its voice names, formats, speeds and a longer text.
Prints what it got as one JSON object."""

import hashlib
import json
import sys
import urllib.request

import openai

base_url, key = sys.argv[1:]
client = openai.OpenAI(timeout=30, api_key=key, base_url=base_url, max_retries=0)
sentence = "A quiet street leads down to the old harbor."
passage = """
The ferry leaves the harbor at seven in the morning. Before that, the crew has checked the ropes and filled the tanks. On
a clear day you can see the islands from the upper deck.
"""


def speak(**request):
    return client.audio.speech.create(model="tts-1", **{"voice": "af_heart", "input": sentence, **request}).content


def size(**request):
    return len(speak(**request))


def error(**request):
    try:
        return size(**request)
    except openai.APIStatusError as failure:
        return [failure.status_code, failure.code]


with urllib.request.urlopen(urllib.request.Request(f"{base_url}/audio/voices")) as response:
    voices = json.load(response)["voices"]

dialogue = {
    "turns": [{"voice": "af_heart", "text": sentence}, {"voice": "af_bella", "text": sentence}],
    "pause_between_turns": 0.4,
    "response_format": "wav",
}
request = urllib.request.Request(
    base_url.replace("/v1", "/dev/dialogue"), json.dumps(dialogue).encode(), {"Content-Type": "application/json"}
)
with urllib.request.urlopen(request) as response:
    turns = len(response.read())

tags = {"allow_voice_tags": True, "voice_aliases": {"villain": "af_bella"}, "volume_multiplier": 0.5}
tagged = f"{sentence} [pause:0.3s] [voice:villain] Never!"

print(
    json.dumps(
        {
            "voices": {voice["id"]: voice["alias_of"] for voice in voices},
            "formats": {name: size(response_format=name) for name in ["wav", "mp3", "opus", "aac", "flac", "pcm"]},
            "speeds": {str(speed): size(response_format="wav", speed=speed) for speed in [0.25, 1.0, 2.0, 4.0]},
            "passage": size(response_format="wav", input=passage),
            "voiced": [
                hashlib.sha256(speak(voice=voice, response_format="pcm")).hexdigest()
                for voice in ["af_heart", "af_heart", "af_bella"]
            ],
            "dialogue": turns,
            "tagged": size(input=tagged, response_format="wav", extra_body=tags),
            "errors": {
                "speed": error(speed=5.0),
                "voice": error(voice="af_nobody"),
                "mix": error(voice="alma(2)+bruno"),
            },
        }
    )
)
