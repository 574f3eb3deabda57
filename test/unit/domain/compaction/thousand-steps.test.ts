import { describe, expect, it } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { carriedText } from "../../../../domain/compaction/carried-text.ts"
import { messageTokens, planCompaction } from "../../../../domain/compaction/plan-compaction.ts"
import { type PromptRow, promptView } from "../../../../domain/compaction/prompt-view.ts"
import { answer, result, user } from "./transcripts.ts"

const steps = 1_000
const need = { limit: 28_000, overhead: 4_000, keepTurns: 8, provider: "scripted" } as const

describe("a thousand steps with results of two kilobytes on a model with a context of 32,000 tokens", () => {
  it("always fit, keep the instruction, and need a summary rarely", () => {
    const rows: PromptRow[] = []
    const add = (message: Message): void => {
      rows.push({ seq: rows.length + 1, message })
    }
    const kinds: string[] = []
    const changes: number[] = []
    let before: readonly Message[] = []
    add(user("Look at every place, and remember the word bittern."))
    for (let step = 1; step <= steps; step += 1) {
      if (messageTokens(promptView(rows).messages, need.provider) > need.limit - need.overhead) {
        const plan = planCompaction(rows, need)
        if (plan === undefined) throw new Error(`step ${step} does not fit`)
        const { kind, summarised, referenced } = plan
        const hidden = rows.filter(({ seq }) => seq <= summarised).map(({ message }) => message)
        const summary = "All of them were empty. ".repeat(100)
        const text = kind === "results" ? "" : carriedText({ hidden, children: [], summary }, plan.textBytes)
        add({ role: "user", source: "compaction", text, compaction: { kind, summarised, referenced } })
        kinds.push(kind)
      }
      const { messages } = promptView(rows)
      expect(messageTokens(messages, need.provider)).toBeLessThanOrEqual(need.limit - need.overhead)
      expect(messages[0]).toMatchObject({ text: expect.stringContaining("the word bittern") })
      if (JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before)) changes.push(step)
      before = messages
      add(answer(step, "Look"))
      add(result(step, 0, "Look", `place ${step}: `.padEnd(2_048, "no herons here ")))
    }
    expect(changes).toHaveLength(kinds.length)
    expect(kinds.length).toBeLessThan(steps / 10)
    expect(new Set(kinds)).toEqual(new Set(["results", "summary"]))
  })
})
