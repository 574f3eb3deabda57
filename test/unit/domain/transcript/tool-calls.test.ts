import { describe, expect, it } from "vitest"
import type { AssistantMessage } from "../../../../contracts/message.ts"
import { toolCallsOf, withNewIds } from "../../../../domain/transcript/tool-calls.ts"

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

const answer = (...ids: readonly string[]): AssistantMessage => ({
  role: "assistant",
  provider: "openai-compatible",
  model: "m",
  parts: ids.map((id) => ({ type: "tool_call", call: { id, name: "Write", arguments: {} } })),
  usage,
  stop: "tool_calls",
})

const idsOf = (message: AssistantMessage) => toolCallsOf(message).map(({ id }) => id)

describe("withNewIds", () => {
  it("gives a call whose id an earlier call of the session has another one", () => {
    const earlier = [answer("call_0", "call_1"), answer("call_0~2")]
    expect(idsOf(withNewIds(answer("call_0", "call_0~3", "call_1", "new"), earlier))).toEqual([
      "call_0~4",
      "call_0~3",
      "call_1~2",
      "new",
    ])
  })

  it("gives a call whose id a decision by id cannot name another one", () => {
    const ids = ["__proto__", "constructor", "toString", "proto"]
    expect(idsOf(withNewIds(answer(...ids), []))).toEqual(["__proto__~2", "constructor~2", "toString~2", "proto"])
    expect(idsOf(withNewIds(answer("__proto__"), [answer("__proto__~2")]))).toEqual(["__proto__~3"])
  })

  it("keeps ids at the length that a decision can name", () => {
    const id = "x".repeat(200)
    const [free] = idsOf(withNewIds(answer(id), [answer(id)]))
    expect(free).not.toBe(id)
    expect(free?.length).toBeLessThanOrEqual(200)
  })

  it("leaves an answer without such ids as it is", () => {
    const message = answer("a", "b")
    expect(withNewIds(message, [answer("c")])).toBe(message)
  })
})
