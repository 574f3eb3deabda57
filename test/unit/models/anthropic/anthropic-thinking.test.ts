import { describe, expect, it } from "vitest"
import { anthropicThinking } from "../../../../models/anthropic/anthropic-thinking.ts"

const options = { maxOutputTokens: 32_000, mayThink: true }

describe("anthropicThinking", () => {
  it("sends nothing if the profile sets nothing", () => {
    expect(anthropicThinking("claude-opus-5-5", undefined, options)).toEqual({})
  })

  it("asks newer models for an effort and readable thinking", () => {
    expect(anthropicThinking("claude-opus-5-5", "medium", options)).toEqual({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "medium" },
    })
  })

  it.each([
    ["claude-opus-5-5", { output_config: { effort: "low" } }],
    ["claude-fable-5-2", { output_config: { effort: "low" } }],
    ["claude-sonnet-5-5", { thinking: { type: "between_tools" } }],
    ["claude-haiku-5-5", { thinking: { type: "disabled" } }],
    ["claude-opus-5", { thinking: { type: "disabled" } }],
    ["claude-opus-4-8", {}],
    ["claude-haiku-4-5", {}],
  ])("turns thinking of %s off in a form that it accepts", (model, expected) => {
    expect(anthropicThinking(model, "off", options)).toEqual(expected)
  })

  it.each(["claude-haiku-4-5", "claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805", "claude-sonnet-4-20250514"])(
    "gives %s a token budget",
    (model) => {
      expect(anthropicThinking(model, "low", options)).toEqual({ thinking: { type: "enabled", budget_tokens: 2048 } })
    },
  )

  it("keeps a budget below the output limit, and omits a budget that is too small", () => {
    const thinking = anthropicThinking("claude-haiku-4-5", "high", { ...options, maxOutputTokens: 4096 })
    expect(thinking).toEqual({ thinking: { type: "enabled", budget_tokens: 2048 } })
    expect(anthropicThinking("claude-haiku-4-5", "high", { ...options, maxOutputTokens: 1500 })).toEqual({})
  })

  it("does not let an older model start thinking in the middle of a tool loop", () => {
    expect(anthropicThinking("claude-haiku-4-5", "high", { ...options, mayThink: false })).toEqual({})
  })
})
