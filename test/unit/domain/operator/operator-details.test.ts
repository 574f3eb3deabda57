import { expect, test } from "vitest"
import { operatorDetails } from "../../../../domain/operator/operator-details.ts"
import { inlineMarkdown } from "../../../../domain/text/shown/markdown.ts"
import type { SessionState } from "../../../../domain/session/session-state.ts"
import { openBatch } from "../../../../domain/calls/tool-batch.ts"
import { mutating } from "../batch-builder.ts"
import { sessionState } from "../session-state-builder.ts"

const pausedOn = (...previews: readonly string[]): SessionState => {
  const state = sessionState()
  state.run.pause = {
    ...{ checkpointId: "cp_1", type: "tool_approval_required", cause: "approval", decided: {}, message: "" },
    calls: previews.map((preview, index) => ({ id: `call_${index + 1}`, name: "Write", preview })),
  }
  return state
}

test("the first line says how to decide, in Temporal's UI and in a terminal", () => {
  const [first] = operatorDetails(pausedOn("Write a.md (new file, +2 −0)"), "paused").split("\n")
  expect(first).toContain('name `approve` (or `reject`), input `"all"` or `"call_1"`')
  expect(first).toContain("`adjutant resume s --approve-all`")
})

test("the first line does not offer an approval of all calls that would leave one out", () => {
  const state = pausedOn("Write a.md (new file, +2 −0)", "Write .envrc (new file, +1 −0)")
  const prompt = { disposition: "prompt" } as const
  state.run.batch = openBatch(1, 1, [mutating("call_1", prompt), mutating("call_2", { ...prompt, isProtected: true })])
  const [first] = operatorDetails(state, "paused").split("\n")
  expect(first).toContain('input `["call_1","call_2"]`;')
  expect(first).not.toContain('"all"')
  expect(first).toContain("`adjutant resume s --approve-all --approve call_2`")
})

test("the first line names four calls of a large batch, and the lines below all of them", () => {
  const previews = Array.from({ length: 30 }, (_, index) => `Write ${index}.md`)
  const lines = operatorDetails(pausedOn(...previews), "paused").split("\n")
  expect(lines[0]).toContain('input `"all"` or `["call_1","call_2","call_3","call_4",…]`;')
  expect(lines.filter((line) => line.startsWith("- "))).toHaveLength(30)
})

test("each pending call has one line with its preview, and a decided one has none", () => {
  const state = pausedOn("Write a.md (new file, +2 −0)", "Bash npm test", "Read c.md")
  if (state.run.pause !== null) state.run.pause = { ...state.run.pause, decided: { call_3: "accept" } }
  const lines = operatorDetails(state, "paused").split("\n")
  expect(lines.filter((line) => line.startsWith("- "))).toEqual([
    "- `call_1` `Write a.md (new file, +2 −0)`",
    "- `call_2` Bash npm test",
  ])
})

test("the first line says how to answer a question", () => {
  const state = pausedOn()
  if (state.run.pause !== null) state.run.pause = { ...state.run.pause, type: "input_required", message: "Which one?" }
  const [first] = operatorDetails(state, "paused").split("\n")
  expect(first).toContain("name `input`")
  expect(first).toContain('`adjutant resume s "your answer"`')
})

test("blank lines surround every list and every block of code", () => {
  const state = pausedOn("Write a.md", "Write b.md")
  state.warnings = ["signal `approve`: no call waits", "again"]
  state.run.children = [{ id: "k3x9ab", ordinal: 1, agent: "general", label: null, status: "running" } as never]
  state.run.outage = { sinceMs: 0, nextAtMs: 1, tries: 1, code: "provider_error", reason: "529", model: "main" }
  const lines = operatorDetails(state, "paused").split("\n")
  const isItem = (line: string | undefined): boolean => line?.startsWith("- ") === true
  const around = lines.flatMap((line, index) =>
    isItem(line) ? [lines[index - 1], lines[index + 1]].filter((next) => !isItem(next)) : [],
  )
  // Before and after each of three lists.
  expect(around).toEqual(Array(6).fill(""))
  expect(lines.join("\n")).toContain("\n\n```\n529\n```\n\n")
})

test("a run that has not completed says why, as text", () => {
  const cause = "the budget of **$0.50** is used up (budget)"
  const details = operatorDetails(sessionState(), "failed", cause)
  expect(details).toContain("**Status:** failed")
  expect(details).toContain(`**Cause:** ${inlineMarkdown(cause)}`)
  expect(operatorDetails(sessionState(), "completed")).not.toContain("Cause")
})

test("the last lines say nothing: the UI cuts them off", () => {
  for (const state of [pausedOn("Write a.md"), sessionState()])
    expect(operatorDetails(state, "paused").split("\n").slice(-4)).toEqual(["", "\u00a0", "", "\u00a0"])
})
