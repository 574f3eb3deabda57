import { describe, expect, it } from "vitest"
import { nextCallOf } from "../../../../activities/model/next-call.ts"
import type { Message } from "../../../../contracts/message.ts"

const provider = "scripted"
const prompt = { systemPrompt: "You look at places.", tools: [] }

const answer = (inputTokens: number): Message => ({
  role: "assistant",
  provider: "scripted",
  model: "fake",
  parts: [{ type: "text", text: "Here." }],
  usage: { inputTokens, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2, reasoningTokens: 0 },
  stop: "end_turn",
})
const user: Message = { role: "user", source: "instruction", text: "Look." }
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

describe("the size of the next model call", () => {
  it("is what the provider counted, and the bytes after it", () => {
    const call = nextCallOf({ messages: [user, answer(100), user], provider }, prompt, 1_000)
    expect(call).toEqual({ prefixTokens: 110, newBytes: bytesOf([user]), maxOutputTokens: 1_000 })
  })

  it("does not use the counts of a prompt from before a compaction", () => {
    const messages = [user, answer(9_000), user]
    expect(nextCallOf({ messages, uncounted: 2, provider }, prompt, 1_000)).toEqual({
      prefixTokens: 0,
      newBytes: bytesOf(messages) + Buffer.byteLength(prompt.systemPrompt) + bytesOf([]),
      maxOutputTokens: 1_000,
    })
    expect(
      nextCallOf({ messages: [...messages, answer(50)], uncounted: 2, provider }, prompt, 1_000).prefixTokens,
    ).toBe(60)
  })
})
