"""Requests in the order of vLLM-Omni's client for streamed text, with its own library. Prints what was received."""

import asyncio
import base64
import json
import sys

import websockets

base_url, key = sys.argv[1:]
url = base_url.replace("http", "ws", 1) + "/audio/speech/stream"
headers = {"Authorization": f"Bearer {key}"}


async def write(socket, text):
    for word in text.split(" "):
        await socket.send(json.dumps({"type": "input.text", "text": word + " "}))
        await asyncio.sleep(0.02)
    await socket.send(json.dumps({"type": "input.done"}))


async def hear(socket):
    events, audio, words = [], [], []
    while True:
        message = await socket.recv()
        if isinstance(message, bytes):
            audio.append(message)
            continue
        event = json.loads(message)
        if event["type"] == "audio.chunk":
            audio.append(base64.b64decode(event["audio_b64"]))
            words += [word["word"] for word in event["timestamps"] or []]
            continue
        events.append(event)
        if event["type"] == "session.done":
            return {"events": events, "bytes": len(b"".join(audio)), "frames": len(audio), "words": words}


async def speak(texts, **config):
    async with websockets.connect(url, additional_headers=headers) as socket:
        await socket.send(json.dumps({"type": "session.config", **config}))
        heard = []
        for text in texts:
            writing = asyncio.create_task(write(socket, text))
            heard.append(await hear(socket))
            await writing
        await socket.send(json.dumps({"type": "session.close"}))
        await socket.wait_closed()
        return {"received": heard, "close": socket.close_code}


async def main():
    text = "Hello there, how are you today? I am fine, thank you."
    vllm = {"task_type": "CustomVoice", "language": "Auto", "speed": 1.0}
    samples = {"response_format": "pcm", "stream_audio": True}
    try:
        await websockets.connect(url)
        stranger = None
    except websockets.InvalidStatus as error:
        stranger = error.response.status_code
    print(
        json.dumps(
            {
                "files": await speak([text, "And again."], response_format="wav", **vllm),
                "samples": await speak([text], split_granularity="sentence", **samples, **vllm),
                "tokens": await speak([text], streaming_mode="token_level", response_format="pcm"),
                "words": await speak([text], word_timestamps=True, split_granularity="clause", **samples, **vllm),
                "stranger": stranger,
            }
        )
    )


asyncio.run(main())
