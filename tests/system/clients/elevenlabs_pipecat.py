"""The ElevenLabs services of Pipecat in a pipeline. Prints what was heard as one JSON object."""

import asyncio
import json
import sys
import time

import aiohttp
import numpy
from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService, ElevenLabsTTSService
from pipecat.services.tts_service import TextAggregationMode
from pipecat.workers.runner import WorkerRunner

logger.remove()
root, key = sys.argv[1].removesuffix("/v1"), sys.argv[2]
text = "Hello there, how are you today? I am fine. "
rate = 16_000


class Listener(FrameProcessor):
    """Stands where the loudspeaker would be."""

    def __init__(self):
        super().__init__()
        self.frames = []
        self.audio = asyncio.Event()
        self.stopped = asyncio.Event()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        self.frames.append(frame)
        if isinstance(frame, TTSAudioRawFrame):
            self.audio.set()
        if isinstance(frame, TTSStoppedFrame):
            self.stopped.set()
        await self.push_frame(frame, direction)

    def heard(self):
        audio = [frame for frame in self.frames if isinstance(frame, TTSAudioRawFrame)]
        samples = numpy.frombuffer(b"".join(frame.audio for frame in audio), dtype=numpy.int16)
        words = [frame for frame in self.frames if isinstance(frame, TTSTextFrame)]
        return {
            "rates": sorted({frame.sample_rate for frame in audio}),
            "seconds": len(samples) / rate,
            "loudness": float(numpy.sqrt(numpy.mean(samples.astype(float) ** 2))) if audio else 0,
            "text": " ".join(frame.text for frame in words),
            "times": [frame.pts / 1e9 for frame in words if frame.pts],
        }


class Errors(FrameProcessor):
    def __init__(self):
        super().__init__()
        self.errors = []

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, ErrorFrame) and direction == FrameDirection.UPSTREAM:
            self.errors.append(frame.error)
        await self.push_frame(frame, direction)


async def is_busy(session):
    async with session.get(f"{root}/health", headers={"xi-api-key": key}) as response:
        return (await response.json())["is_processing"]


async def run(service, scenario):
    """Runs a scenario with a service between a language model and a loudspeaker."""
    errors, listener = Errors(), Listener()
    worker = PipelineWorker(
        Pipeline([errors, service, listener]),
        params=PipelineParams(audio_out_sample_rate=rate),
        cancel_on_idle_timeout=False,
        enable_rtvi=False,
    )
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def _(_worker, _frame):
        started.set()

    async def act():
        await asyncio.wait_for(started.wait(), 20)
        result = await scenario(worker, listener)
        await worker.queue_frame(EndFrame())
        return result

    runner = WorkerRunner()
    await runner.add_workers(worker)
    _, result = await asyncio.gather(runner.run(), act())
    return {**(result or listener.heard()), "errors": errors.errors}


async def write(worker, text):
    await worker.queue_frame(LLMFullResponseStartFrame())
    for token in text.split(" "):
        await worker.queue_frame(LLMTextFrame(f"{token} "))
        await asyncio.sleep(0.02)


async def turn(worker, listener):
    listener.stopped.clear()
    await write(worker, text)
    await worker.queue_frame(LLMFullResponseEndFrame())
    await asyncio.wait_for(listener.stopped.wait(), 30)


async def two_turns(worker, listener):
    await turn(worker, listener)
    first = listener.heard()
    listener.frames = []
    await turn(worker, listener)
    return {**listener.heard(), "first": first["seconds"]}


async def main():
    async with aiohttp.ClientSession() as session:

        def socket(key=key, voice="default", **options):
            url = root.replace("http", "ws", 1)
            settings = ElevenLabsTTSService.Settings(voice=voice, stability=0.5, speed=1.0)
            return ElevenLabsTTSService(api_key=key, url=url, settings=settings, **options)

        def http(key=key, voice="default"):
            settings = ElevenLabsHttpTTSService.Settings(voice=voice)
            return ElevenLabsHttpTTSService(api_key=key, base_url=root, aiohttp_session=session, settings=settings)

        async def interrupt(end):
            """Seconds until the server is idle after a speech was interrupted."""

            async def scenario(worker, listener):
                await write(worker, text * 10)
                if end:
                    await worker.queue_frame(LLMFullResponseEndFrame())
                await asyncio.wait_for(listener.audio.wait(), 20)
                was_busy = await is_busy(session)
                await worker.queue_frame(InterruptionFrame())
                began = time.monotonic()
                while await is_busy(session):
                    await asyncio.sleep(0.01)
                return {"was_busy": was_busy, "seconds": time.monotonic() - began}

            return await run(socket(), scenario)

        print(
            json.dumps(
                {
                    "sentences": await run(socket(), two_turns),
                    "tokens": await run(socket(text_aggregation_mode=TextAggregationMode.TOKEN), two_turns),
                    "http": await run(http(), two_turns),
                    "interrupted": await interrupt(False),
                    "interrupted_after_the_end": await interrupt(True),
                    "stranger": await run(socket(key="another"), lambda _worker, _listener: asyncio.sleep(1)),
                }
            )
        )


asyncio.run(main())
