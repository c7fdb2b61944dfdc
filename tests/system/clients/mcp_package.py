"""The `mcp` package as its documentation uses it, over HTTP or with a command. Prints what it got as one JSON object."""

import asyncio
import base64
import json
import sys
import time
from pathlib import Path

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

kind, target, extra = sys.argv[1:]
text = "Hello there, how are you today?"


def transport():
    if kind == "http":
        return streamable_http_client(
            f"{target}/mcp", http_client=create_mcp_http_client(headers={"Authorization": f"Bearer {extra}"})
        )
    program, *arguments = json.loads(target)
    return StdioServerParameters(command=program, args=arguments)


async def roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri=Path(extra).as_uri())])


async def main():
    progress = []

    async def on_progress(done, _total, message):
        progress.append([done, message])

    options = {} if kind == "http" else {"list_roots_callback": roots}
    async with Client(transport(), **options) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        voices = (await client.call_tool("list_voices", {})).structured_content["voices"]
        await client.call_tool("speak", {"input": "Hello.", "output": "audio"})
        started = time.perf_counter()
        spoken = await client.call_tool(
            "speak", {"input": text, "output": "audio", "voice": "coral"}, progress_callback=on_progress
        )
        seconds = time.perf_counter() - started
        [audio] = [part for part in spoken.content if part.type == "audio"]
        wrong = await client.call_tool("speak", {"input": text, "voice": "nobody"})
        result = {
            "tools": tools,
            "voices": [voice["name"] for voice in voices],
            "mime": audio.mime_type,
            "bytes": len(base64.b64decode(audio.data)),
            "spoken": spoken.structured_content,
            "seconds": seconds,
            "progress": progress,
            "wrong": [wrong.is_error, wrong.content[0].text],
        }
        if kind != "http":
            written = await client.call_tool("speak", {"input": text, "path": "hello.wav"})
            cloned = await client.call_tool(
                "clone_voice", {"name": "kim", "prompt_wav_path": "hello.wav", "prompt_text": text}
            )
            outside = await client.call_tool("speak", {"input": text, "path": "/tmp/outside.wav"})
            resource = await client.read_resource("svc://voices/kim/audio")
            result["files"] = {
                "written": written.structured_content["path"],
                "cloned": cloned.structured_content["name"],
                "outside": outside.is_error,
                "resource": base64.b64decode(resource.contents[0].blob)[:4].decode(),
            }
        try:
            await asyncio.wait_for(client.call_tool("speak", {"input": "One. " * 2000, "output": "link"}), 2)
            result["canceled"] = False
        except (TimeoutError, MCPError):
            result["canceled"] = True
        print(json.dumps(result))


asyncio.run(main())
