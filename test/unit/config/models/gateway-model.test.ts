import { describe, expect, it } from "vitest"
import { gatewayModel } from "../../../../config/models/gateway-model.ts"
import { knownModel, priceTable } from "../../../../config/models/price-table.ts"

const gateway = "https://gateway.example.com/v1"
const local = "http://127.0.0.1:4000/v1"

describe("gatewayModel", () => {
  it.each([
    ["claude-haiku-4-5", "claude-haiku-4-5"],
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["gpt-5.5-2026-04-23", "gpt-5.5"],
    ["anthropic/claude-haiku-4.5", "claude-haiku-4-5"],
    ["openrouter/anthropic/claude-haiku-4.5", "claude-haiku-4-5"],
    ["openai/gpt-5.5", "gpt-5.5"],
    ["azure/gpt-5.5", "gpt-5.5"],
    ["bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
    ["anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
    ["vertex_ai/claude-haiku-4-5@20251001", "claude-haiku-4-5"],
  ])("knows %s", (id, known) => {
    expect(priceTable[known]).toBeDefined()
    expect(gatewayModel(id, gateway)).toBe(knownModel(known))
  })

  it.each([
    "qwen3",
    "llama/claude-haiku-4-5",
    "someone/gpt-5.5",
    "openai/claude-haiku-4-5",
    "anthropic/gpt-5.5",
    "anthropic/claude-haiku-4.5:free",
    "openai/team/gpt-5.5",
    "",
  ])("does not know %s, which can be another model", (id) => {
    expect(gatewayModel(id, gateway)).toBeUndefined()
  })

  it("does not take a model of a local server for one of OpenAI because of its name alone", () => {
    expect(gatewayModel("gpt-4o", local)).toBeUndefined()
    expect(gatewayModel("gpt-4o", gateway)).toBe(knownModel("gpt-4o"))
    expect(gatewayModel("openai/gpt-4o", local)).toBe(knownModel("gpt-4o"))
    expect(gatewayModel("claude-haiku-4-5", local)).toBe(knownModel("claude-haiku-4-5"))
  })
})
