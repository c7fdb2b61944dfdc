"""The requests of Open WebUI (0.12, routers/audio) for an engine of type OpenAI. Prints the answers as one JSON object."""

import asyncio
import json
import sys

import aiohttp

base_url, key = sys.argv[1:]


async def main():
    answers = {}
    async with aiohttp.ClientSession() as session:
        # It sends no key with these; where they fail, it shows the voices and models of the public API.
        for name in ["models", "voices"]:
            async with session.get(f"{base_url}/audio/{name}") as response:
                answers[name] = [response.status, await response.json()]
        payload = {"input": "Hello there, how are you today?", "voice": "alloy", "model": "tts-1"}
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        async with session.post(f"{base_url}/audio/speech", json=payload, headers=headers) as response:
            response.raise_for_status()
            answers["speech"] = [response.headers.get("Content-Type", ""), len(await response.read())]
    print(json.dumps(answers))


asyncio.run(main())
