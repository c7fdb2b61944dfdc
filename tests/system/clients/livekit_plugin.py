"""The text-to-speech plugin of LiveKit Agents. Prints what was heard as one JSON object."""

import asyncio
import json
import sys

import numpy
from livekit.agents import APIStatusError
from livekit.plugins import openai

base_url, key = sys.argv[1:]


async def hear(api_key, **options):
    tts = openai.TTS(base_url=base_url, api_key=api_key, **options)
    try:
        async with tts.synthesize("Hello there, how are you today?") as stream:
            frames = [event.frame async for event in stream]
    except APIStatusError as error:
        return {"status": error.status_code}
    finally:
        await tts.aclose()
    samples = numpy.concatenate([numpy.frombuffer(frame.data, dtype=numpy.int16) for frame in frames])
    rates = {frame.sample_rate for frame in frames}
    return {
        "rates": sorted(rates),
        "seconds": len(samples) / frames[0].sample_rate,
        "loudness": float(numpy.sqrt(numpy.mean(samples.astype(float) ** 2))),
    }


async def main():
    heard = {}
    # The first model is asked for events, the second for bytes.
    for model in ["gpt-4o-mini-tts", "tts-1"]:
        for name in ["mp3", "pcm", "opus", "wav"]:
            heard[f"{model} {name}"] = await hear(key, model=model, voice="ash", response_format=name)
    print(json.dumps({"received": heard, "stranger": await hear("another")}))


asyncio.run(main())
