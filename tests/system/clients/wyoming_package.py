"""The `wyoming` package as Home Assistant's integration uses it, and its Zeroconf discovery. Prints what it got as one JSON object."""

import asyncio
import json
import sys
from urllib.parse import urlparse

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient, AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info, SelectProgram
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeVoice,
)
from zeroconf import ServiceBrowser, ServiceListener, Zeroconf

uri = sys.argv[1]
address = urlparse(uri)
text = "Hello there, how are you today?"


def client():
    return AsyncTcpClient(address.hostname, address.port)


async def describe():
    async with client() as connection:
        await connection.write_event(Describe().event())
        while event := await connection.read_event():
            if Info.is_type(event.type):
                return Info.from_event(event)


async def ping():
    async with AsyncClient.from_uri(uri) as connection:
        await connection.write_event(Ping(text="x").event())
        return Pong.from_event(await connection.read_event()).text


async def speak(synthesize):
    """A whole text; several versions of the integration read up to `audio-stop` only."""
    async with client() as connection:
        await connection.write_event(synthesize.event())
        audio = b""
        while event := await connection.read_event():
            if Error.is_type(event.type):
                return Error.from_event(event).code
            if AudioStop.is_type(event.type):
                return {"bytes": len(audio), "rate": chunk.rate, "width": chunk.width, "channels": chunk.channels}
            if AudioChunk.is_type(event.type):
                chunk = AudioChunk.from_event(event)
                audio += chunk.audio
        return "closed"


async def write(connection, pieces, voice, pause):
    await connection.write_event(SynthesizeStart(voice=voice).event())
    message = ""
    for piece in pieces:
        message += piece
        await connection.write_event(SynthesizeChunk(text=piece).event())
        await asyncio.sleep(pause)
    await connection.write_event(Synthesize(text=message, voice=voice).event())
    await connection.write_event(SynthesizeStop().event())


async def stream(pieces, voice=None, pause=0.3):
    """Writes while it reads, with the whole text once more before the end."""
    connection = client()
    await connection.connect()
    writer = asyncio.create_task(write(connection, pieces, voice, pause))
    types, audio, rate, first = [], b"", None, None
    try:
        while event := await connection.read_event():
            if not types or types[-1] != event.type:
                types.append(event.type)
            if Error.is_type(event.type):
                return Error.from_event(event).code
            if AudioStart.is_type(event.type):
                rate = AudioStart.from_event(event).rate
            elif AudioChunk.is_type(event.type):
                first = first or ("after the text" if writer.done() else "before the end")
                audio += AudioChunk.from_event(event).audio
            elif SynthesizeStopped.is_type(event.type):
                break
    finally:
        await asyncio.gather(writer, return_exceptions=True)
        await connection.disconnect()
    return {"types": types, "bytes": len(audio), "rate": rate, "first": first}


async def select():
    """Two requests of one connection, to a program by its name."""
    async with client() as connection:
        await connection.write_event(SelectProgram(name=(await describe()).tts[0].name).event())
        sizes = []
        for _ in range(2):
            await connection.write_event(Synthesize(text=text).event())
            size = 0
            while event := await connection.read_event():
                if AudioStop.is_type(event.type):
                    break
                size += len(event.payload or b"")
            sizes.append(size)
        return sizes


class Listener(ServiceListener):
    def __init__(self):
        self.found = []

    def add_service(self, zc, type_, name):
        info = zc.get_service_info(type_, name)
        if info is not None and info.port == address.port:
            self.found.append([name, info.parsed_addresses()])

    def update_service(self, zc, type_, name):
        pass

    def remove_service(self, zc, type_, name):
        pass


async def discover(seconds=10):
    listener, zeroconf = Listener(), Zeroconf()
    ServiceBrowser(zeroconf, "_wyoming._tcp.local.", listener)
    for _ in range(seconds * 10):
        if listener.found:
            break
        await asyncio.sleep(0.1)
    zeroconf.close()
    return listener.found


async def main():
    info = await describe()
    program = info.tts[0]
    print(
        json.dumps(
            {
                "program": [program.name, program.installed, program.supports_synthesize_streaming],
                "voices": [[voice.name, voice.languages] for voice in program.voices],
                "pong": await ping(),
                "whole": await speak(Synthesize(text=text)),
                "voice": await speak(Synthesize(text=text, voice=SynthesizeVoice(name="default", speaker="a"))),
                "unknown": await speak(Synthesize(text=text, voice=SynthesizeVoice(name="nobody"))),
                "streamed": await stream([f"{word} " for word in f"{text} I am fine. Good bye for now.".split()]),
                "unknown_streamed": await stream([text], voice=SynthesizeVoice(name="nobody")),
                "selected": await select(),
                "discovered": await discover() if "--discover" in sys.argv else None,
            }
        )
    )


asyncio.run(main())
