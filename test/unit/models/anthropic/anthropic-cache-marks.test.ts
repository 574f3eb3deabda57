import { describe, expect, it } from "vitest"
import {
  cacheMark,
  markedMessages,
  markedSystem,
  markedTools,
} from "../../../../models/anthropic/anthropic-cache-marks.ts"
import { anthropicConversation } from "../../../../models/anthropic/anthropic-request.ts"
import { toAnthropicMessages } from "../../../../models/anthropic/anthropic-messages.ts"
import { toWireTools } from "../../../../models/wire/wire-tools.ts"
import {
  createAssistantMessage,
  createCallPart,
  createModelRequest,
  modelSpec,
  readTool,
  createToolResult,
  createUserMessage,
} from "../../../helpers/providers/model-request.ts"

const asked = { provider: "anthropic", model: "claude-opus-5-5" } as const
const transcript = [
  createUserMessage("go"),
  createAssistantMessage([createCallPart("a")]),
  createToolResult("a", "one"),
  createAssistantMessage([createCallPart("b"), createCallPart("c")]),
  createToolResult("b", "two"),
  createToolResult("c", "three"),
]

const markedAt = (messages: ReturnType<typeof markedMessages>) =>
  messages.map(({ content }) => (Array.isArray(content) ? content.map((block) => "cache_control" in block) : []))

const wireOf = (messages: typeof transcript) => markedMessages(toAnthropicMessages({ messages }, asked, (name) => name))

describe("cache marks", () => {
  it("are at the end of the last two user messages", () => {
    expect(markedAt(wireOf(transcript))).toEqual([[false], [false], [true], [false, false], [false, true]])
  })

  it("leave the prefix of the next request unchanged, marks apart", () => {
    const withoutMarks = (messages: unknown) =>
      JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', "")
    const shorter = withoutMarks(wireOf(transcript.slice(0, 3))).slice(0, -1)
    expect(withoutMarks(wireOf(transcript)).startsWith(shorter)).toBe(true)
  })

  it("are at most four, one after the last tool and one after the system prompt", () => {
    const { tools } = toWireTools([readTool, { ...readTool, name: "Write" }])
    const request = { tools: markedTools(tools), system: markedSystem("You are."), messages: wireOf(transcript) }
    expect(JSON.stringify(request).match(/cache_control/g)).toHaveLength(4)
    expect(request.tools.map((tool) => "cache_control" in tool)).toEqual([false, true])
  })

  it("last an hour where the model is configured so", () => {
    const hour = { cache_control: { type: "ephemeral", ttl: "1h" } }
    expect(cacheMark({ cacheMinutes: 60 })).toEqual(hour)
    expect(markedSystem("You are.", cacheMark({ cacheMinutes: 60 }))).toMatchObject([hour])
    const request = createModelRequest({ spec: modelSpec({ cacheMinutes: 60 }), messages: transcript })
    const { body } = anthropicConversation(request)
    expect(JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/g)).toHaveLength(4)
  })

  it("need no system prompt", () => {
    expect(markedSystem(" ")).toEqual([])
  })
})
