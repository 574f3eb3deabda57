import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Compaction, Message } from "../../../../contracts/message.ts"
import { carriedText } from "../../../../domain/compaction/carried-text.ts"
import { type CompactionNeed, messageTokens, planCompaction } from "../../../../domain/compaction/plan-compaction.ts"
import { type PromptRow, promptView } from "../../../../domain/compaction/prompt-view.ts"
import { toolCallsOf } from "../../../../domain/transcript/tool-calls.ts"
import { isDeep } from "../../../helpers/effort.ts"
import { answer, result, toRows, transcripts, user } from "./transcripts.ts"

const needs = fc.record({
  limit: fc.integer({ min: 2_000, max: 12_000 }),
  overhead: fc.integer({ min: 0, max: 1_000 }),
  keepTurns: fc.integer({ min: 1, max: 10 }),
  provider: fc.constant("scripted" as const),
})

/** Adds the row that a plan leads to. */
const compacted = (rows: readonly PromptRow[], need: CompactionNeed): readonly PromptRow[] | undefined => {
  const plan = planCompaction(rows, need)
  if (plan === undefined) return undefined
  const { kind, summarised, referenced } = plan
  const compaction: Compaction = { kind, summarised, referenced }
  const hidden = rows.filter(({ seq }) => seq <= summarised).map(({ message }) => message)
  const summary = "s".repeat(plan.summaryTokens * 3)
  const text = kind === "results" ? "" : carriedText({ hidden, children: [], summary }, plan.textBytes)
  return [...rows, { seq: rows.length + 1, message: { role: "user", source: "compaction", text, compaction } }]
}

const tokensOf = (rows: readonly PromptRow[]): number => messageTokens(promptView(rows).messages, "scripted")

const expectPaired = (messages: readonly Message[]): void => {
  const open = new Set<string>()
  for (const message of messages) {
    for (const { id } of toolCallsOf(message)) open.add(id)
    if (message.role === "tool") expect(open.delete(message.call_id)).toBe(true)
    else if (message.role === "user") expect([...open]).toEqual([])
  }
  expect([...open]).toEqual([])
}

describe("the plan of a compaction", () => {
  it("keeps calls with their results, the instruction, and the end of the conversation", () => {
    fc.assert(
      fc.property(transcripts, needs, (rows, need) => {
        const after = compacted(rows, need)
        fc.pre(after !== undefined)
        const { messages } = promptView(after)
        expectPaired(messages)
        expect(messages[0]).toMatchObject({ role: "user", text: expect.stringContaining("Do the first thing.") })
        // Messages that the model has not seen yet stay as they are.
        const seen = rows.findLastIndex(({ message }) => message.role !== "user")
        const unseen = rows.slice(seen + 1).map(({ message }) => message)
        expect(messages.slice(messages.length - unseen.length)).toEqual(unseen)
      }),
      { numRuns: isDeep ? 2_000 : 200 },
    )
  })

  it("makes what does not fit shorter until it fits, in few compactions", () => {
    fc.assert(
      fc.property(transcripts, needs, (rows, need) => {
        const room = need.limit - need.overhead
        fc.pre(room > 1_500 && tokensOf(rows) > room)
        let shortened = rows
        for (let count = 0; tokensOf(shortened) > room; count += 1) {
          expect(count).toBeLessThan(3)
          const next = compacted(shortened, need)
          expect(next).toBeDefined()
          expect(tokensOf(next ?? [])).toBeLessThan(tokensOf(shortened))
          shortened = next ?? []
        }
      }),
      { numRuns: isDeep ? 2_000 : 200 },
    )
  })

  it("leaves the prompt's beginning as it is until the next compaction", () => {
    fc.assert(
      fc.property(transcripts, needs, (rows, need) => {
        const after = compacted(rows, need) ?? rows
        const before = promptView(after).messages
        const grown = [...after, { seq: after.length + 1, message: answer(99, "Read") }]
        const later = [...grown, { seq: grown.length + 1, message: result(99, 0, "Read", "z".repeat(5_000)) }]
        expect(promptView(later).messages.slice(0, before.length)).toEqual(before)
        expect(promptView(later).messages.at(-1)).toEqual(later.at(-1)?.message)
      }),
      { numRuns: isDeep ? 1_000 : 100 },
    )
  })

  it("replaces old long results first, which needs no summary", () => {
    const rows = toRows([
      user("Look."),
      ...[1, 2, 3].flatMap((turn) => [answer(turn, "Read"), result(turn, 0, "Read", "x".repeat(6_000))]),
    ])
    const plan = planCompaction(rows, { limit: 5_000, overhead: 0, keepTurns: 1, provider: "scripted" })
    expect(plan).toMatchObject({ kind: "results", summarised: 0, referenced: 5 })
    const { messages } = promptView(
      compacted(rows, { limit: 5_000, overhead: 0, keepTurns: 1, provider: "scripted" }) ?? [],
    )
    expect(messages[2]).toMatchObject({ content: expect.stringMatching(/^\[6000 characters.*again with Read/u) })
    expect(messages[6]).toMatchObject({ content: "x".repeat(6_000) })
  })

  it("does not find anything to leave out of an instruction, or next to a system prompt that is too long", () => {
    const rows = toRows([user("long ".repeat(5_000))])
    expect(planCompaction(rows, { limit: 2_000, overhead: 0, keepTurns: 8, provider: "scripted" })).toBeUndefined()
    const others = toRows([user("Look."), answer(1, "Read"), result(1, 0, "Read", "x".repeat(9_000))])
    expect(
      planCompaction(others, { limit: 2_000, overhead: 2_000, keepTurns: 8, provider: "scripted" }),
    ).toBeUndefined()
  })

  it("continues from the compaction before: what is summarised or replaced stays so", () => {
    fc.assert(
      fc.property(transcripts, needs, (rows, need) => {
        const first = compacted(rows, need)
        fc.pre(first !== undefined)
        const before = promptView(first)
        const second = planCompaction(first, { ...need, limit: Math.floor(need.limit / 2) })
        fc.pre(second !== undefined)
        expect(second.summarised).toBeGreaterThanOrEqual(before.summarised)
        expect(second.referenced).toBeGreaterThanOrEqual(before.referenced)
      }),
      { numRuns: isDeep ? 1_000 : 100 },
    )
  })
})
