import { describe, expect, it } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { replaySession } from "../../../../worker/replay/replay-session.ts"
import { answered, recordedSession, resulted, said } from "./recorded-session.ts"

const reads: readonly Message[] = [
  said("Compare a and b."),
  answered([["c1", "Read", { file_path: "a" }]]),
  resulted("c1", "Read", "A"),
  answered([["c2", "Read", { file_path: "b" }]]),
  resulted("c2", "Read", "B"),
  answered([], "They differ."),
]

const read = (path: string) => ({ reply: { tool_calls: [{ name: "Read", arguments: { file_path: path } }] } })
const done = (text: string) => ({ reply: { text } })
/** A model of its own id, whose turns are counted apart from the recorded ones. */
const modelsWith = (turns: readonly unknown[]) => ({
  scripts: { other: { turns } },
  config: {
    prices: { scripted: { inputPerMTok: 1, outputPerMTok: 1 }, other: { inputPerMTok: 1, outputPerMTok: 1 } },
    models: { other: { provider: "scripted", model: "other", script: "other.yaml" } as const },
  },
})

describe("replaySession", () => {
  it("finds the same calls and outcome if the model repeats them, executes nothing and writes nothing", async () => {
    const expects = { expect: { tool_results: [{ name: "Read", contains: "A" }] } }
    const place = await recordedSession(
      reads,
      modelsWith([read("a"), { ...expects, ...read("b") }, done("They are different.")]),
    )
    const before = await place.store.messages.read("s1", { headSeq: 100 })
    const report = await replaySession(place, { sessionId: "s1", model: "other" })
    expect(report).toMatchObject({
      same: true,
      sameFinalMessage: false,
      fromStep: 1,
      calls: [],
      unrecorded: null,
      recorded: { model: "main", steps: 3, end: "completed", finalMessage: "They differ." },
      replayed: { model: "other", steps: 3, end: "completed", finalMessage: "They are different." },
    })
    expect(report.recorded.usage).toMatchObject({ input_tokens: 3_000, cost_usd: 0.0033 })
    expect(await place.store.messages.read("s1", { headSeq: 100 })).toEqual(before)
    expect(await place.store.usage.total({ sessionId: "s1" })).toMatchObject({ inputTokens: 0 })
  })

  it("stops at a call that was not recorded, and names it", async () => {
    const place = await recordedSession(reads, modelsWith([read("a"), read("c")]))
    const report = await replaySession(place, { sessionId: "s1", model: "other" })
    expect(report).toMatchObject({
      same: false,
      sameOutcome: false,
      replayed: { end: "unrecorded_call", steps: 2 },
      unrecorded: { step: 2, name: "Read", arguments: { file_path: "c" }, made: 0 },
      calls: [{ call: 2, recorded: { arguments: { file_path: "b" } }, replayed: { arguments: { file_path: "c" } } }],
    })
  })

  it("keeps the steps before the given one, and counts their calls", async () => {
    const place = await recordedSession(reads, modelsWith([read("a")]))
    const report = await replaySession(place, { sessionId: "s1", fromStep: 2, model: "other" })
    expect(report).toMatchObject({
      fromStep: 2,
      recorded: { steps: 2, calls: [{ step: 2 }] },
      unrecorded: { step: 2, made: 1 },
    })
  })

  it("repeats the texts that came during the run after the same step", async () => {
    const steered = [...reads.slice(0, 3), said("Only a.", "steering"), answered([], "A it is.")]
    const place = await recordedSession(
      steered,
      modelsWith([read("a"), { expect: { last: { role: "user", contains: "Only a." } }, ...done("A it is.") }]),
    )
    expect(await replaySession(place, { sessionId: "s1", model: "other" })).toMatchObject({
      same: true,
      sameFinalMessage: true,
    })
  })

  it("ends with finish, and pauses on a text, as the run would", async () => {
    const finish = answered([["f", "finish", { result: "Both." }]])
    const recorded = [...reads.slice(0, 5), finish]
    const finishing = { reply: { tool_calls: [{ name: "finish", arguments: { result: "Both." } }] } }
    const options = { ...modelsWith([read("a"), read("b"), finishing]), request: { pause_on_approval: true } }
    const place = await recordedSession(recorded, options)
    expect(await replaySession(place, { sessionId: "s1", model: "other" })).toMatchObject({
      same: true,
      replayed: { end: "completed", finalMessage: "Both." },
    })
    const texts = { ...modelsWith([done("Which?")]), request: { pause_on_approval: true } }
    expect(
      await replaySession(await recordedSession(recorded, texts), { sessionId: "s1", model: "other" }),
    ).toMatchObject({ same: false, replayed: { end: "paused", finalMessage: "Which?" } })
  })

  it("stops at the limit of steps and before a call that the budget does not cover", async () => {
    const endless = modelsWith([read("a"), read("b"), done("")])
    const place = await recordedSession(reads, { ...endless, request: { max_steps: 2 } })
    const request = { sessionId: "s1", model: "other" }
    expect(await replaySession(place, request)).toMatchObject({ replayed: { end: "max_steps", steps: 2 } })
    expect(await replaySession(place, { ...request, budgetTokens: 10 })).toMatchObject({
      replayed: { end: "budget", steps: 0, usage: { cost_usd: 0 } },
    })
    expect(await replaySession(place, { ...request, budgetUsd: 0.001 })).toMatchObject({
      replayed: { end: "budget", steps: 0 },
    })
  })

  it.each([
    [{ fromStep: 4 }, "invalid_argument", /^task s1 has no step 4: choose one from 1 to 3$/],
    [{ model: "othr" }, "model_not_found", /other/],
    [{ model: "claude-opus-5-5" }, "key_missing", /set ANTHROPIC_API_KEY/],
    [{ sessionId: "none" }, "session_not_found", /none/],
  ])("refuses %j before any call", async (request, code, message) => {
    const place = await recordedSession(reads, modelsWith([done("unused")]))
    const error: unknown = await replaySession(place, { sessionId: "s1", ...request }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it("refuses a budget in dollars for a model without a price", async () => {
    const local = { provider: "openai-compatible", model: "qwen3", baseUrl: "http://127.0.0.1:1/v1" } as const
    const place = await recordedSession(reads, { config: { models: { local } } })
    await expect(replaySession(place, { sessionId: "s1", model: "local", budgetUsd: 1 })).rejects.toMatchObject({
      code: "price_unknown",
    })
  })

  it("fails with the provider's error", async () => {
    const place = await recordedSession(reads, modelsWith([{ reply: { error: { status: 400, message: "no" } } }]))
    await expect(replaySession(place, { sessionId: "s1", model: "other" })).rejects.toMatchObject({
      code: "provider_error",
    })
  })

  it("offers an MCP tool that the recording calls, without starting its server", async () => {
    const search = [
      said("Search."),
      answered([["c1", "mcp__docs__search", { q: "x" }]]),
      resulted("c1", "mcp__docs__search", "found"),
      answered([], "Found."),
    ]
    const call = { reply: { tool_calls: [{ name: "mcp__docs__search", arguments: { q: "x" } }] } }
    const options = modelsWith([
      { expect: { tools: { include: ["mcp__docs__search"] } }, ...call },
      { expect: { tool_results: [{ contains: "found" }] }, ...done("Found.") },
    ])
    const mcpServers = { docs: { command: "/nowhere/docs-mcp" } }
    const place = await recordedSession(search, { ...options, config: { ...options.config, mcpServers } })
    expect(await replaySession(place, { sessionId: "s1", model: "other" })).toMatchObject({ same: true })
  })
})
