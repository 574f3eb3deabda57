import { describe, expect, test } from "vitest"
import { type ProgramOutput, readProgramAnswer } from "../../../../domain/programs/program-answer.ts"

const claude = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "Done.",
  total_cost_usd: 0.0125,
  usage: { input_tokens: 4, cache_creation_input_tokens: 100, cache_read_input_tokens: 2_000, output_tokens: 50 },
}
const claudeUsage = {
  inputTokens: 4,
  outputTokens: 50,
  cacheReadTokens: 2_000,
  cacheWriteTokens: 100,
  reasoningTokens: 0,
  costMicroUsd: 12_500,
}
const gemini = {
  response: "Done.",
  stats: {
    models: { "gemini-3-pro": { tokens: { prompt: 100, candidates: 20, cached: 40, thoughts: 5, total: 125 } } },
  },
}
const codex = [
  { type: "thread.started", thread_id: "t" },
  { type: "item.completed", item: { type: "reasoning", text: "hm" } },
  { type: "item.completed", item: { type: "agent_message", text: "Done." } },
  { type: "turn.completed", usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 25 } },
]
const counted = { inputTokens: 60, outputTokens: 25, cacheReadTokens: 40, cacheWriteTokens: 0, costMicroUsd: null }
const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join("\n")

describe("the answer of a program", () => {
  test.each<[string, string, ProgramOutput, object]>([
    ["claude", JSON.stringify(claude), "auto", { text: "Done.", usage: claudeUsage }],
    ["claude, by name", JSON.stringify(claude), "claude", { text: "Done.", usage: claudeUsage }],
    ["claude's stream", lines([{ type: "system" }, claude]), "auto", { text: "Done.", usage: claudeUsage }],
    ["claude's list", JSON.stringify([{ type: "system" }, claude]), "auto", { text: "Done.", usage: claudeUsage }],
    [
      "claude's failure",
      JSON.stringify({ ...claude, is_error: true, result: "Credit balance is too low" }),
      "auto",
      { text: "Credit balance is too low", failure: "Credit balance is too low", usage: claudeUsage },
    ],
    [
      "claude without a result",
      JSON.stringify({ type: "result", subtype: "error_max_turns", is_error: true }),
      "auto",
      { text: "", failure: "error_max_turns" },
    ],
    ["gemini", JSON.stringify(gemini, null, 2), "auto", { text: "Done.", usage: { ...counted, reasoningTokens: 5 } }],
    [
      "gemini's failure",
      JSON.stringify({ error: { type: "ApiError", message: "quota exceeded", code: 429 }, stats: {} }),
      "auto",
      { text: "", failure: "quota exceeded" },
    ],
    ["codex", lines(codex), "auto", { text: "Done.", usage: { ...counted, reasoningTokens: 0 } }],
    ["codex with other lines", `warning: x\n${lines(codex)}\n`, "codex", { text: "Done." }],
    [
      "codex's failure",
      lines([codex[0], { type: "turn.failed", error: { message: "stream disconnected" } }]),
      "auto",
      { text: "", failure: "stream disconnected" },
    ],
    ["a result", '{"result": {"words": 2}}\n', "auto", { text: '{"words":2}' }],
    ["a result as text", '{"result": "x"}\n', "text", { text: '{"result": "x"}' }],
    ["other JSON", '{"words": 2}\n', "auto", { text: '{"words": 2}' }],
    ["text", "two words {x}\n", "auto", { text: "two words {x}" }],
    ["the wrong form", "two words\n", "claude", { text: "two words" }],
  ])("is read: %s", (_, stdout, output, expected) => {
    expect(readProgramAnswer(stdout, output)).toMatchObject(expected)
  })

  test("whose counts cannot be read is kept", () => {
    const odd = { ...claude, total_cost_usd: "1", usage: { input_tokens: "4", output_tokens: -1 } }
    expect(readProgramAnswer(JSON.stringify(odd), "auto")).toMatchObject({
      text: "Done.",
      usage: { inputTokens: 0, outputTokens: 0, costMicroUsd: null },
    })
  })
})
