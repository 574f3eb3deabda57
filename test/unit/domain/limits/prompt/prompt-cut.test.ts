import { describe, expect, it } from "vitest"
import type { Message } from "../../../../../contracts/message.ts"
import { promptCut } from "../../../../../domain/limits/prompt/prompt-cut.ts"
import { noTokens } from "../../../../../domain/limits/usage-totals.ts"
import {
  createAssistantMessage,
  createToolResult,
  createUserMessage,
} from "../../../../helpers/providers/model-request.ts"

const spec = { provider: "openai-compatible", model: "qwen3" } as const
const first = { prefixTokens: 0, newTokens: 6_000, newBytes: 24_000, maxOutputTokens: 100 }
const next = { prefixTokens: 4_120, newTokens: 500, newBytes: 2_000, maxOutputTokens: 100 }

const counted = (inputTokens: number, cacheReadTokens = 0) => ({ ...noTokens, inputTokens, cacheReadTokens })
const answer = (inputTokens: number, model = "qwen3"): Message =>
  createAssistantMessage([], { ...spec, model, usage: { ...counted(inputTokens), outputTokens: 24 } })
const asked = createUserMessage("go")
const result = createToolResult("c", "a page")

describe("promptCut", () => {
  it("finds a first prompt of which the server counted too few tokens", () => {
    expect(promptCut({ spec, call: first, messages: [asked], usage: counted(2_048) })).toContain("read 2048 tokens")
    expect(promptCut({ spec, call: first, messages: [asked], usage: counted(4_096) })).toBeUndefined()
    expect(promptCut({ spec, call: first, messages: [asked], usage: counted(1_000, 3_000) })).toBeUndefined()
  })

  it("finds a prompt that has grown although the server counted no more", () => {
    const messages = [asked, answer(4_096), result]
    expect(promptCut({ spec, call: next, messages, usage: counted(4_096) })).toContain("OLLAMA_CONTEXT_LENGTH")
    expect(promptCut({ spec, call: next, messages, usage: counted(4_600) })).toBeUndefined()
    expect(promptCut({ spec, call: { ...next, newTokens: 20 }, messages, usage: counted(4_096) })).toBeUndefined()
  })

  it("does not compare with another model, or with a prompt whose reasoning is not sent again", () => {
    const ofOther = [asked, answer(4_096, "other"), result]
    expect(promptCut({ spec, call: next, messages: ofOther, usage: counted(4_096) })).toBeUndefined()
    const followed = [asked, answer(4_096), asked]
    expect(promptCut({ spec, call: next, messages: followed, usage: counted(4_096) })).toBeUndefined()
  })

  it("accepts a server that counts something else, and providers that refuse long prompts", () => {
    expect(promptCut({ spec, call: first, messages: [asked], usage: counted(30) })).toBeUndefined()
    const claude = { provider: "anthropic", model: "m" } as const
    expect(promptCut({ spec: claude, call: first, messages: [asked], usage: counted(2_048) })).toBeUndefined()
  })
})
