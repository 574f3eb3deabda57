import { describe, expect, it } from "vitest"
import { nextCallOf } from "../../../../activities/model/next-call.ts"
import { estimateTokens } from "../../../../domain/limits/prompt/token-estimate.ts"
import type { Message } from "../../../../contracts/message.ts"

const prompt = { systemPrompt: "You look at places.", tools: [] }
const scripted = { provider: "scripted", model: "fake" } as const
const asked = { spec: scripted, models: { main: scripted }, prompt }

const answer = (inputTokens: number): Message => ({
  role: "assistant",
  provider: "scripted",
  model: "fake",
  parts: [{ type: "text", text: "Here." }],
  usage: { inputTokens, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2, reasoningTokens: 0 },
  stop: "end_turn",
})
const user: Message = { role: "user", source: "instruction", text: "Look." }
const sizeOf = (text: string) => ({ newTokens: estimateTokens(text), newBytes: Buffer.byteLength(text) })

describe("the size of the next model call", () => {
  it("is what the provider counted, and the text after it", () => {
    const call = nextCallOf({ messages: [user, answer(100), user] }, asked, 1_000)
    expect(call).toEqual({ prefixTokens: 110, ...sizeOf(JSON.stringify([user])), maxOutputTokens: 1_000 })
  })

  it("does not use the counts of a prompt from before a compaction", () => {
    const messages = [user, answer(9_000), user]
    expect(nextCallOf({ messages, uncounted: 2 }, asked, 1_000)).toEqual({
      prefixTokens: 0,
      ...sizeOf(`${prompt.systemPrompt}[]${JSON.stringify(messages)}`),
      maxOutputTokens: 1_000,
    })
    expect(nextCallOf({ messages: [...messages, answer(50)], uncounted: 2 }, asked, 1_000).prefixTokens).toBe(60)
  })

  it("counts the images and PDF files before an answer of a model that did not get them", () => {
    const claude = { provider: "anthropic", model: "claude-opus-5-5" } as const
    const other = { provider: "anthropic", model: "claude-sonnet-5-5" } as const
    const blind = { provider: "openai-compatible", model: "qwen3" } as const
    const looking = { ...blind, model: "qwen3-vl", input: ["text" as const, "image" as const] }
    const models = { main: claude, other, blind, looking }
    const image = { type: "media" as const, id: "a", media_type: "image/png" as const, bytes: 9, sha256: "aa" }
    const media = [
      { ...image, width: 280, height: 280 },
      { ...image, id: "b", media_type: "application/pdf" as const, pages: 2 },
    ]
    const result: Message = { role: "tool", call_id: "c", name: "Read", outcome: "ok", content: "", media }
    const tokensAfter = (by: { readonly provider: string; readonly model: string }): number | undefined =>
      nextCallOf({ messages: [user, result, { ...answer(100), ...by }, user] }, { spec: claude, models, prompt }, 1)
        .mediaTokens
    expect(tokensAfter(claude)).toBeUndefined()
    expect(tokensAfter(other)).toBeUndefined()
    expect(tokensAfter(blind)).toBe(100 + 6_000)
    expect(tokensAfter(looking)).toBe(6_000)
    // A model that the run does not have any more.
    expect(tokensAfter({ provider: "openai", model: "gpt-6-luna" })).toBe(100 + 6_000)
  })
})
