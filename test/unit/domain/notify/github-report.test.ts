import { describe, expect, it } from "vitest"
import { githubAnnotations, githubSummary } from "../../../../domain/notify/github-report.ts"

const usage = {
  ...{ input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
  cost_usd: 0.5,
}
const of = { task_id: "abc123", session_id: "abc123", steps_taken: 2, usage }
const call = {
  ...{ id: "call_1", name: "Write", arguments: {} },
  preview: {
    ...{ summary: "Write src/a,b.ts: 1 line", diff: "+```\n+line", flags: ["not confined: no sandbox"] },
    file: { path: "src/a,b.ts", action: "create" as const, size: null, sha256: null },
  },
}
const paused: Parameters<typeof githubSummary>[0] = {
  ...of,
  outcome: "paused",
  checkpoint_id: "cp_1",
  agent_message: "May I?",
  resume_hint: "adjutant run -c cp_1",
  pause_reason: { type: "tool_approval_required", pending_tool_calls: [call] },
}
const failed: Parameters<typeof githubSummary>[0] = {
  ...of,
  outcome: "failed",
  stop_reason: "budget",
  error: { code: "budget", message: "100% used\n::error::injected" },
}

describe("the report of a run in GitHub Actions", () => {
  it("says what failed in one annotation, which no text of the run can end", () => {
    expect(githubAnnotations(failed)).toEqual(["::error title=Adjutant%3A budget::100%25 used%0A::error::injected"])
    expect(githubSummary(failed)).toContain("Task `abc123` · 2 steps · $0.5000")
  })

  it("puts each call that waits at its file", () => {
    expect(githubAnnotations(paused)).toEqual([
      "::warning file=src/a%2Cb.ts,title=Adjutant asks to approve::Write src/a,b.ts: 1 line%0Anot confined: no sandbox",
    ])
  })

  it("shows the diff in a block that the diff cannot end, and how to continue", () => {
    const summary = githubSummary(paused)
    expect(summary).toContain("````text\n+```\n+line\n````")
    expect(summary).toContain("adjutant run -c cp_1")
  })

  it("shows the result of a completed run, and annotates nothing", () => {
    const done = { ...of, outcome: "completed", checkpoint_id: "cp_2", final_message: "# Fine <script>" } as const
    expect(githubSummary(done)).toBe(
      "### Adjutant: completed\n\nTask `abc123` · 2 steps · $0.5000\n\n```text\n# Fine <script>\n```\n",
    )
    expect(githubAnnotations(done)).toEqual([])
  })
})
