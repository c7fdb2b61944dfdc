"""An agent of Pydantic AI that calls the tools of the server, with a scripted model. Prints what it got as JSON."""

import asyncio
import json
import sys

from fastmcp.client import Client
from fastmcp.client.transports import StreamableHttpTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

url, key = sys.argv[1:]
calls = [
    ("list_voices", {}),
    ("speak", {"input": "Hello there, how are you today?", "voice": "coral", "output": "link"}),
]
described = {}


def model(messages, info):
    described.update({tool.name: sorted(tool.parameters_json_schema["properties"]) for tool in info.function_tools})
    done = sum(isinstance(part, ToolReturnPart) for message in messages for part in message.parts)
    if done == len(calls):
        return ModelResponse(parts=[TextPart("done")])
    name, arguments = calls[done]
    return ModelResponse(parts=[ToolCallPart(name, arguments)])


async def main():
    transport = StreamableHttpTransport(f"{url}/mcp", headers={"Authorization": f"Bearer {key}"})
    agent = Agent(FunctionModel(model), toolsets=[MCPToolset(Client(transport))])
    async with agent:
        run = await agent.run("Say hello.")
    returned = {
        part.tool_name: part.content
        for message in run.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }
    print(json.dumps({"output": run.output, "described": described, "returned": returned}, default=str))


asyncio.run(main())
