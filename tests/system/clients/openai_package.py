"""The `openai` package as its documentation uses it. Prints what it got as one JSON object."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

import openai

base_url, key = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0)
speech = {"model": "gpt-4o-mini-tts", "voice": "coral", "input": "Hello there, how are you today?"}


def error_of(call):
    try:
        call()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code]
    return None


def to_file():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.mp3"
        with client.audio.speech.with_streaming_response.create(**speech) as response:
            response.stream_to_file(path)
        return path.stat().st_size


def streamed():
    with client.audio.speech.with_streaming_response.create(**speech, response_format="pcm") as response:
        return [len(part) for part in response.iter_bytes(4_800)]


def events():
    request = {**speech, "response_format": "pcm", "stream_format": "sse"}
    with client.audio.speech.with_streaming_response.create(**request) as response:
        return [json.loads(line[6:])["type"] for line in response.iter_lines() if line.startswith("data: ")]


async def at_once():
    own = openai.AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0)
    answers = await asyncio.gather(*[own.audio.speech.create(**speech, response_format="pcm") for _ in range(3)])
    await own.close()
    return [len(answer.content) for answer in answers]


stranger = openai.OpenAI(base_url=base_url, api_key="another", max_retries=0)
formats = ["mp3", "opus", "aac", "flac", "wav", "pcm"]
print(
    json.dumps(
        {
            "models": [model.id for model in client.models.list()],
            "bytes": {name: len(client.audio.speech.create(**speech, response_format=name).content) for name in formats},
            "file": to_file(),
            "streamed": streamed(),
            "events": events(),
            "at_once": asyncio.run(at_once()),
            "errors": {
                "key": error_of(lambda: stranger.audio.speech.create(**speech)),
                "model": error_of(lambda: client.audio.speech.create(**{**speech, "model": "another"})),
                "voice": error_of(lambda: client.audio.speech.create(**{**speech, "voice": "nobody"})),
                "input": error_of(lambda: client.audio.speech.create(**{**speech, "input": ""})),
                "speed": error_of(lambda: client.audio.speech.create(**speech, speed=9)),
                "route": error_of(lambda: client.chat.completions.create(model="a", messages=[])),
            },
        }
    )
)
