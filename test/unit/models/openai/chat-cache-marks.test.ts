import { describe, expect, it } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { openAiCompatibleProvider } from "../../../../models/openai/openai-compatible.ts"
import { createChatText } from "../../../helpers/providers/chat-wire.ts"
import { readWireMessages } from "../../../helpers/providers/chat-model.ts"
import { startFakeProvider } from "../../../helpers/providers/fake-provider-server.ts"
import {
  createAssistantMessage,
  createCallPart,
  createModelRequest,
  createToolResult,
  createUserMessage,
  modelSpec,
} from "../../../helpers/providers/model-request.ts"

const own = { provider: "openai-compatible", model: "anthropic/claude" } as const
const step = (id: string): readonly Message[] => [
  createAssistantMessage([createCallPart(id)], { ...own, stop: "tool_calls" }),
  createToolResult(id, `result of ${id}`),
]
const empty = createToolResult("c", "")
const transcript: readonly Message[] = [
  createUserMessage("Go."),
  ...step("a"),
  ...step("b"),
  createAssistantMessage([createCallPart("c"), createCallPart("d")], { ...own, stop: "tool_calls" }),
  empty,
  createToolResult("d", "result of d"),
]

/** Sends the conversation up to each turn of the user, and returns the messages of each request. */
const sent = async (cacheControl: boolean | undefined, ends: readonly number[], cacheMinutes?: 5 | 60) => {
  await using server = await startFakeProvider([createChatText("ok")])
  const dialect = cacheControl === undefined ? {} : { dialect: { cacheControl } }
  const spec = modelSpec({
    ...own,
    baseUrl: server.url,
    ...dialect,
    ...(cacheMinutes === undefined ? {} : { cacheMinutes }),
  })
  for (const end of ends)
    await openAiCompatibleProvider.respond(createModelRequest({ spec, messages: transcript.slice(0, end) }))
  return server.requests.map(readWireMessages)
}

const mark = { cache_control: { type: "ephemeral" } }

describe("dialect.cacheControl", () => {
  it("marks the system prompt and the ends of the last two turns of the user", async () => {
    const [messages = []] = await sent(true, [8])
    const marks = messages.flatMap(({ content }, index) =>
      JSON.stringify(content)?.includes("cache_control") ? [index] : [],
    )
    expect(marks).toEqual([0, 5, 8])
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "You are a careful agent.", ...mark }],
      [{ type: "text", text: "Go." }],
      null,
      [{ type: "text", text: "result of a" }],
      null,
      [{ type: "text", text: "result of b", ...mark }],
      null,
      [{ type: "text", text: "(no output)" }],
      [{ type: "text", text: "result of d", ...mark }],
    ])
  })

  it("lets each prompt begin with the one before it, apart from the marks", async () => {
    const requests = await sent(true, [1, 3, 5, 8])
    const [first = "", ...later] = requests.map((messages) =>
      JSON.stringify(messages)
        .replaceAll(`,${JSON.stringify(mark).slice(1, -1)}`, "")
        .slice(0, -1),
    )
    let before = first
    for (const next of later) {
      expect(next.startsWith(before)).toBe(true)
      before = next
    }
    expect(later).toHaveLength(3)
  })

  it.each([
    [60, { type: "ephemeral", ttl: "1h" }],
    [5, { type: "ephemeral" }],
  ] as const)("names the time of cacheMinutes %d", async (minutes, cache) => {
    const [messages = []] = await sent(true, [1], minutes)
    expect(messages[0]?.content).toEqual([{ type: "text", text: "You are a careful agent.", cache_control: cache }])
  })

  it.each([undefined, false])("sends texts without marks if it is %s", async (cacheControl) => {
    const [messages = []] = await sent(cacheControl, [3])
    expect(messages.map(({ content }) => content)).toEqual(["You are a careful agent.", "Go.", null, "result of a"])
  })
})
