"""The ElevenLabs plugin of LiveKit Agents. Prints what was heard as one JSON object."""

import asyncio
import json
import sys
import time

import aiohttp
import numpy
from livekit.agents import APIError
from livekit.agents.types import USERDATA_TIMED_TRANSCRIPT
from livekit.plugins import elevenlabs

base_url, key = sys.argv[1:]
text = "Hello there, how are you today? I am fine. "


def heard(frames):
    samples = numpy.concatenate([numpy.frombuffer(frame.data, dtype=numpy.int16) for frame in frames])
    words = [word for frame in frames for word in frame.userdata.get(USERDATA_TIMED_TRANSCRIPT, [])]
    return {
        "rates": sorted({frame.sample_rate for frame in frames}),
        "seconds": len(samples) / frames[0].sample_rate,
        "loudness": float(numpy.sqrt(numpy.mean(samples.astype(float) ** 2))),
        "words": [[str(word), word.start_time, word.end_time] for word in words],
    }


async def write(stream, text):
    for token in text.split(" "):
        stream.push_text(f"{token} ")
        await asyncio.sleep(0.02)


async def stream(tts):
    async with tts.stream() as stream:
        writing = asyncio.create_task(write(stream, text))
        writing.add_done_callback(lambda _: stream.end_input())
        return heard([event.frame async for event in stream])


async def synthesize(tts):
    async with tts.synthesize(text) as stream:
        return heard([event.frame async for event in stream])


async def is_busy(session):
    root = base_url.removesuffix("/v1")
    async with session.get(f"{root}/health", headers={"xi-api-key": key}) as response:
        return (await response.json())["is_processing"]


async def interrupt(tts, session):
    """Seconds until the server is idle after a speech was interrupted."""
    async with tts.stream() as stream:
        await write(stream, text * 10)
        async for _ in stream:
            break
        was_busy = await is_busy(session)
    began = time.monotonic()
    while await is_busy(session):
        await asyncio.sleep(0.01)
    return {"was_busy": was_busy, "seconds": time.monotonic() - began}


async def main():
    async with aiohttp.ClientSession() as session:

        def open_tts(**options):
            given = {"base_url": base_url, "api_key": key, "voice_id": "default", **options}
            return elevenlabs.TTS(http_session=session, **given)

        results = {"stream": {}, "synthesize": {}}
        for encoding in ["mp3_22050_32", "pcm_16000", "mp3_44100_128", "opus_48000_64"]:
            tts = open_tts(encoding=encoding)
            results["stream"][encoding] = await stream(tts)
            results["synthesize"][encoding] = await synthesize(tts)
            await tts.aclose()
        tts = open_tts(encoding="pcm_16000", voice_settings=elevenlabs.VoiceSettings(stability=0.5, similarity_boost=0.5, speed=2.0))
        results["fast"] = await stream(tts)
        results["again"] = [(await stream(tts))["seconds"] for _ in range(2)]
        results["at_once"] = [one["seconds"] for one in await asyncio.gather(*[stream(tts) for _ in range(3)])]
        results["voices"] = len(await tts.list_voices())
        results["interrupted"] = await interrupt(tts, session)
        results["after"] = (await stream(tts))["seconds"]
        await tts.aclose()
        stranger = open_tts(api_key="another")
        try:
            await stream(stranger)
        except APIError as error:
            results["stranger"] = getattr(error, "status_code", None)
        await stranger.aclose()
        print(json.dumps(results))


asyncio.run(main())
