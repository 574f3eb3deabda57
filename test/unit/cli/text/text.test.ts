import { describe, expect, it } from "vitest"
import { callHeadline } from "../../../../cli/text/call-text.ts"
import { agoText, costText, usageWithCost } from "../../../../cli/text/figures.ts"
import { shownBlock } from "../../../../domain/session/block.ts"
import { countText, durationText } from "../../../../domain/text/figures.ts"
import { findingsText } from "../../../../cli/doctor/findings-text.ts"
import { outcomeText } from "../../../../cli/text/outcome-text.ts"
import { oneLine, plainText } from "../../../../cli/terminal/plain-text.ts"
import { paintedStatus, listTable, sessionText } from "../../../../cli/text/session-text.ts"
import { noPaint, type Paint } from "../../../../cli/terminal/paint.ts"
import { table } from "../../../../cli/text/table.ts"
import { transcriptText } from "../../../../cli/text/transcript-text.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"
import { failed, paused, session, usage } from "../stub-environment.ts"

describe("text for people", () => {
  it("lets no control character of a model reach the terminal", () => {
    expect(plainText("a\u001b[31mred\u001b[0m\r\n\tb\u0007\u202e")).toBe("a[31mred[0m\n\tb")
    expect(outcomeText({ ...paused, agent_message: "\u001b[2Jgone" }).result).not.toContain("\u001b")
  })

  it("cuts single lines at characters, not inside one", () => {
    expect(oneLine("a\n  b", 10)).toBe("a b")
    expect(oneLine("😀😀😀", 2)).toBe("😀…")
  })

  it.each([
    [0, "0.0s"],
    [120, "0.1s"],
    [9_949, "9.9s"],
    [9_960, "10s"],
    [59_600, "1m00s"],
    [312_000, "5m12s"],
    [7_380_000, "2h03m"],
  ])("writes %i ms as %s", (ms, text) => expect(durationText(ms)).toBe(text))

  it.each([
    [950, "950"],
    [12_345, "12.3k"],
    [999_960, "1.0m"],
  ])("writes %i tokens as %s", (count, text) => expect(countText(count)).toBe(text))

  it("keeps the digits of a small cost and says when the cost is unknown", () => {
    expect(costText(0.0042)).toBe("$0.0042")
    expect(costText(1.5)).toBe("$1.50")
    expect(usageWithCost({ ...usage, cost_usd: null })).toBe("tokens 1.2k (in 1.0k / out 200) · cost unknown")
  })

  it("says how long ago something happened", () => {
    const now = Date.parse("2026-11-21T10:10:00Z")
    expect(agoText("2026-11-21T10:07:00Z", now)).toBe("3m ago")
    expect(agoText("2026-11-19T10:10:00Z", now)).toBe("2d ago")
  })

  it("shows a call by its most telling argument", () => {
    expect(callHeadline("Read", { offset: 3, file_path: "README.md" })).toBe("Read README.md")
    expect(callHeadline("Bash", { command: "ls\n-l" })).toBe("Bash ls ⏎ -l")
    expect(callHeadline("TodoWrite", null)).toBe("TodoWrite")
  })

  it("aligns columns and leaves no trailing blanks", () => {
    expect(
      table(
        ["A", "BB"],
        [
          ["long", ""],
          ["x", "y"],
        ],
      ),
    ).toBe("A     BB\nlong\nx     y")
  })

  it.each([
    [
      160,
      "ID  STATUS     AGENT    STEPS  COST   TITLE",
      "a1  completed  general  3      $0.01  A title that says in many words",
    ],
    [60, "ID  STATUS     AGENT    STEPS  COST   TITLE", "a1  completed  general  3      $0.01  A title that says in …"],
    [57, "ID  STATUS     AGENT    COST   TITLE", "a1  completed  general  $0.01  A title that says in many…"],
    [40, "ID  STATUS     COST   TITLE", "a1  completed  $0.01  A title that says…"],
    [
      undefined,
      "ID  STATUS     AGENT    STEPS  COST   TITLE",
      "a1  completed  general  3      $0.01  A title that says in many words",
    ],
  ])("fits a table into a terminal of %s columns", (columns, header, row) => {
    const text = table(
      ["ID", "STATUS", "AGENT", "STEPS", "COST", "TITLE"],
      [["a1", "completed", "general", "3", "$0.01", "A title that says in many words"]],
      { columns, dropped: ["STEPS", "AGENT"] },
    )
    expect(text.split("\n")).toEqual([header, row])
  })

  it("includes the reason of a failure in lists", () => {
    const text = listTable([session({ status: "failed", stop_reason: "budget", title: "two\nlines" })], {
      now: Date.now(),
      isNumbered: false,
    })
    expect(text).toContain("failed: budget")
    expect(text).toContain("two lines")
  })

  it("paints a status by what it means, and a blocked one as at work", () => {
    const paint: Paint = { ...noPaint, green: (text) => `green ${text}`, cyan: (text) => `cyan ${text}` }
    expect(paintedStatus({ status: "completed", stop_reason: "completed", blocked_by: [] }, paint)).toBe(
      "green completed",
    )
    const blocked = shownBlock({ type: "child_paused", since: "2026-11-25T00:00:00Z", session_ids: ["c1"] })
    expect(paintedStatus({ status: "paused", stop_reason: null, blocked_by: [blocked] }, paint)).toBe(
      "cyan waits for a sub-agent",
    )
  })

  it("says how long a session worked, without its waits", () => {
    const run = {
      ...({ run_id: "r", status: "completed", stop_reason: null, error: null, steps_taken: 1 } as const),
      ...{ fallback_model: null, compactions: 0, created_at: "2026-11-25T00:00:00Z", ran_seconds: 4 },
      ...{ started_at: "2026-11-25T00:00:00Z", finished_at: "2026-11-25T00:12:04Z" },
    }
    expect(sessionText(session({ runs: [run] }))).toContain("worked      4.0s, waited 12m00s")
  })

  it("shows the warnings of the latest run", () => {
    const warnings = ["Bash is left out", "the answer was\ncut"].map((message) => ({
      code: "no_answer" as const,
      message,
    }))
    const text = sessionText(session({ warnings }))
    expect(text).toContain("warning     Bash is left out\nwarning     the answer was cut\n")
  })

  it("shows the number of each sub-agent in the list of a parent", () => {
    const text = listTable([session({ number: 3 })], { now: Date.now(), isNumbered: true })
    expect(text.split("\n").map((line) => line.split(/\s+/).slice(0, 2))).toEqual([
      ["#", "ID"],
      ["#3", "abc123"],
    ])
  })

  it("shows what a paused session is waiting for", () => {
    const text = sessionText(session({ pause_reason: paused.pause_reason }))
    expect(text).toContain("waiting for a decision: Write a.md  (call_1)")
    expect(text).toContain("file_path: a.md")
  })

  it("distinguishes all stop reasons", () => {
    const problems = (["budget", "timeout", "cancelled", "terminated", "refusal"] as const).map(
      (stop_reason) => outcomeText({ ...failed, stop_reason }).problem,
    )
    expect(new Set(problems).size).toBe(problems.length)
  })

  it("names the owner of a child's call and its checkpoint", () => {
    const call = pendingCall({
      ...{ id: "c", name: "Bash", arguments: {} },
      ...{ task_id: "child1", checkpoint_id: "cp_child" },
    })
    const { result } = outcomeText({
      ...paused,
      pause_reason: { type: "tool_approval_required", pending_tool_calls: [call] },
    })
    expect(result).toContain("(c, task child1)")
    expect(result).toContain("run -c cp_child --reject-all")
  })

  it("shows tool results only on request", () => {
    const rows = [
      { role: "user", source: "instruction", text: "Look." },
      { role: "tool", call_id: "c", name: "Read", outcome: "ok", content: "the file" },
    ] as const
    const asRows = rows.map((message, index) => ({ seq: index + 1, runId: "r", step: 1, fence: 1, at: "", message }))
    expect(transcriptText(asRows, { tools: false })).toBe("▸ instruction\nLook.")
    expect(transcriptText(asRows, { tools: true })).toContain("Read → ok\n    the file")
  })

  it("puts advice below a finding", () => {
    expect(findingsText([{ name: "keys", status: "warn", detail: "none", hint: "set one" }])).toBe(
      "WARN  keys  none\n            → set one",
    )
  })
})
