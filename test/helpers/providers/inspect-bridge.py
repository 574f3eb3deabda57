# Serves a mock model with the bridge of inspect-ai: Chat Completions, Responses and Messages on one port, until stdin is closed.
# usage: python inspect-bridge.py <port> <url> <folder>. What the model answers is asked at the URL.
import asyncio
import sys

import httpx
from inspect_ai import Task, eval_async
from inspect_ai.agent import agent, sandbox_agent_bridge
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ContentReasoning, ContentText, ModelOutput
from inspect_ai.model import ModelUsage, get_model
from inspect_ai.tool import ToolCall

port, url, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
name = "mockllm/model"


class Refused(Exception):
    def __init__(self, status, problem):
        super().__init__(problem)
        self.status_code = status


async def answer(messages, tools, tool_choice, config):
    said = {
        "results": sum(message.role == "tool" for message in messages),
        "messages": [message.model_dump(mode="json") for message in messages],
        "tools": [tool.name for tool in tools],
    }
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        reply = (await client.post(url, json=said)).json()
    if "status" in reply:
        raise Refused(reply["status"], reply["problem"])
    content = [ContentText(text=reply.get("text", ""))]
    if "signature" in reply:
        content.insert(0, ContentReasoning(reasoning="Hm, hm.", signature=reply["signature"]))
    calls = [ToolCall(id=f"call_{said['results'] + 1}", function=reply["call"][0], arguments=reply["call"][1])] if "call" in reply else None
    message = ChatMessageAssistant(content=content, tool_calls=calls, model=name, source="generate")
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
    tokens = reply["tokens"]
    return ModelOutput(model=name, choices=[choice], usage=ModelUsage(input_tokens=tokens, output_tokens=7, total_tokens=tokens + 7))


@agent
def bridged():
    async def execute(state):
        async with sandbox_agent_bridge(state, port=port) as bridge:
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
            return bridge.state

    return execute


model = get_model(name, custom_outputs=answer)
asyncio.run(eval_async(Task(dataset=[Sample(input="serve")], solver=bridged(), sandbox="local"), model=model, log_dir=folder))
