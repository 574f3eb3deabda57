import { describe, expect, it } from "vitest"
import { executionSummary } from "../../../../../domain/engine/shown-session.ts"
import { laneDetails } from "../../../../../domain/lane/lane-queue.ts"
import { operatorDetails } from "../../../../../domain/operator/operator-details.ts"
import { inlineMarkdown, summaryMarkdown } from "../../../../../domain/text/shown/markdown.ts"
import { sessionState } from "../../session-state-builder.ts"

// What models and callers wrote reached the Temporal UI as Markdown: a label or a call id could show a link, an
// image or a false status there, and a text could end its block of code.

const attacks = [
  "[approve here](https://evil.example)",
  "![](https://evil.example/pixel.png)",
  "https://evil.example/?q=1",
  "www.evil.example",
  "mail@evil.example",
  "<img src=x onerror=alert(1)>",
  "a` ![x](https://evil.example) `b",
  "``` \n# Approved\n",
  "**Status:** completed",
  "~~no~~ __yes__ _x_",
  "| a | b |",
  "\n\n**Ignored:**\n- nothing",
]

/** Removes the code of a Markdown text by the rules of CommonMark: a run of backticks up to the next run of that length. */
const withoutCode = (text: string): string => text.replaceAll(/(?<!`)(`+)(?!`)([\s\S]*?)(?<!`)\1(?!`)/g, "")

/** What remains outside of code must not be active: no link, image, tag, address, emphasis of others or line of its own. */
const expectInert = (markdown: string): void => {
  const rest = withoutCode(markdown)
  expect(rest).not.toMatch(/evil|<img|approve here|Approved|completed|\||~~|__|nothing/)
}

describe.each(attacks)("%j", (attack) => {
  it("is shown as it is, and does nothing, in one line", () => {
    const line = inlineMarkdown(attack)
    expect(line).not.toContain("\n")
    expectInert(line)
  })

  it("does nothing in the details of a session", () => {
    const state = sessionState()
    const call = { id: `c ${attack}`, name: `n ${attack}`, preview: `${attack}\n${attack}` }
    state.run.pause = {
      ...{ checkpointId: "cp_1", type: "tool_approval_required", cause: "approval", decided: {} },
      ...{ calls: [call], message: attack },
    }
    state.warnings = [`signal \`decide\`: unknown field ${attack}`]
    expectInert(operatorDetails(state, "paused"))
    state.run.pause = { ...state.run.pause, type: "input_required", cause: "text" }
    expectInert(operatorDetails(state, "paused"))
  })

  it("does nothing in summaries, which fit into the engine's limit", () => {
    const shown = { rootId: "abc123", parentId: null, depth: 0, model: "m" }
    for (const text of [attack, attack.repeat(50), `${"ö".repeat(500)}${attack}`]) {
      const summary = executionSummary({ ...shown, id: "abc123", agent: "general", title: text })
      expectInert(summary)
      expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(200)
      expectInert(summaryMarkdown(text, 90))
      expect(Buffer.byteLength(summaryMarkdown(text, 90))).toBeLessThanOrEqual(90)
    }
  })

  it("does nothing in the details of the lane", () => {
    const workflowId = `subagent/${attack}`
    const holder = { workflowId, runId: "r", turn: 1, ticket: 1, resumes: false }
    expectInert(laneDetails({ capacity: 1, holders: [holder], queued: [holder] }))
  })
})
