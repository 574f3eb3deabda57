import { describe, expect, it } from "vitest"
import type { Message, ToolCall } from "../../../../contracts/message.ts"
import { compareRuns, type PlayedRun } from "../../../../domain/replay/compare-runs.ts"
import { recordedCallKey, createOracle } from "../../../../domain/replay/recorded-results.ts"
import { createAssistantMessage, createToolResult } from "../../../helpers/providers/model-request.ts"

const call = (id: string, args: Record<string, unknown> | null, raw?: string): ToolCall => ({
  id,
  name: "Read",
  arguments: args,
  ...(raw === undefined ? {} : { raw_arguments: raw }),
})

const proposing = (...calls: readonly ToolCall[]): Message =>
  createAssistantMessage(calls.map((each) => ({ type: "tool_call", call: each })))

const contentOf = (answer: ReturnType<ReturnType<typeof createOracle>["answer"]>): string | number =>
  answer.kind === "recorded" ? answer.result.content : answer.made

describe("createOracle", () => {
  const recorded = [
    proposing(call("1", { a: 1, b: 2 }), call("2", { a: 1 })),
    createToolResult("2", "second"),
    createToolResult("1", "first"),
    proposing(call("1", { b: 2, a: 1 })),
    createToolResult("1", "first again"),
    proposing(call("9", null, "{")),
  ]

  it("answers the nth call with the same name and arguments with the nth result", () => {
    const oracle = createOracle(recorded, [])
    const answers = [{ b: 2, a: 1 }, { a: 1 }, { a: 1, b: 2 }, { a: 1, b: 2 }, { a: 2 }].map((args) =>
      contentOf(oracle.answer(call("x", args))),
    )
    expect(answers).toEqual(["first", "second", "first again", 2, 0])
  })

  it("counts the calls of the part that is kept", () => {
    const oracle = createOracle(recorded, recorded.slice(0, 3))
    expect(contentOf(oracle.answer(call("x", { a: 1, b: 2 })))).toBe("first again")
    expect(contentOf(oracle.answer(call("x", { a: 1 })))).toBe(1)
  })

  it("has no result for a call that was never answered, and keeps tools apart", () => {
    const oracle = createOracle(recorded, [])
    expect(oracle.answer(call("x", null, "{"))).toEqual({ kind: "unrecorded", made: 0 })
    expect(oracle.answer({ ...call("x", { a: 1 }), name: "Write" })).toEqual({ kind: "unrecorded", made: 0 })
  })
})

describe("compareRuns", () => {
  const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 }
  const played = (args: readonly Record<string, unknown>[], change: Partial<PlayedRun> = {}): PlayedRun => ({
    model: "main",
    steps: 1,
    calls: args.map((each) => ({ step: 1, name: "Read", arguments: each, key: recordedCallKey(call("x", each)) })),
    usage: { ...usage, cost_usd: 0.5 },
    end: "completed",
    finalMessage: "Done.",
    ...change,
  })

  it("ignores texts and costs, and reports how they differ", () => {
    const other = played([{ a: 1 }], { finalMessage: "Ready.", usage: { ...usage, cost_usd: 0.2 } })
    expect(compareRuns(played([{ a: 1 }]), other)).toEqual({
      same: true,
      sameOutcome: true,
      sameFinalMessage: false,
      calls: [],
      costDifferenceUsd: -0.3,
    })
  })

  it("names calls that differ, or that only one run made", () => {
    const { same, calls } = compareRuns(played([{ a: 1 }, { a: 2 }]), played([{ a: 3 }]))
    expect(same).toBe(false)
    expect(calls).toEqual([
      {
        call: 1,
        recorded: { step: 1, name: "Read", arguments: { a: 1 } },
        replayed: { step: 1, name: "Read", arguments: { a: 3 } },
      },
      { call: 2, recorded: { step: 1, name: "Read", arguments: { a: 2 } }, replayed: null },
    ])
  })

  it("differs if the outcome differs, and has no cost difference without a price", () => {
    const other = played([], { end: "unrecorded_call", usage: { ...usage, cost_usd: null } })
    expect(compareRuns(played([]), other)).toMatchObject({ same: false, sameOutcome: false, costDifferenceUsd: null })
  })
})
