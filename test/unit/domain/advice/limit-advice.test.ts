import { describe, expect, it } from "vitest"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { budgetAdvice, limitAdvice, withLimitAdvice } from "../../../../domain/advice/limit-advice.ts"
import type { Surface } from "../../../../domain/advice/surface.ts"
import { dailyLimitText } from "../../../../domain/limits/daily-limits.ts"

const tool: Surface = { kind: "tool", tools: ["dynamic_subagent_task"], isTold: false, mayApprove: true }
const message = "the run reached its limit of 5 steps"
const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 }
const failed: OutcomeDocument = {
  ...{ outcome: "failed", task_id: "abc123", session_id: "abc123", stop_reason: "max_steps" },
  ...{ error: { code: "max_steps", message }, steps_taken: 5, usage: { ...usage, cost_usd: null } },
}

describe("the advice about a limit that ended a run", () => {
  it.each(["max_steps", "budget", "timeout"] as const)(
    "names an option on the command line only, and elsewhere what can be done there: %s",
    (stopReason) => {
      const run = { stopReason, error: { message } }
      expect(limitAdvice(run, { kind: "cli" })).toMatch(/--(?:max-steps|budget-usd|timeout)/)
      for (const surface of [{ kind: "http" }, { kind: "chat" }, tool, { ...tool, tools: [] }] as const) {
        expect(limitAdvice(run, surface)).toBeDefined()
        expect(limitAdvice(run, surface)).not.toContain("--")
      }
      expect(limitAdvice(run, { kind: "http" })).toMatch(/max_steps|budget_usd|timeout_seconds/)
    },
  )

  it("names to a model an argument of a tool that it has", () => {
    const run = { stopReason: "max_steps", error: null } as const
    expect(limitAdvice(run, tool)).toContain("a higher max_steps")
    expect(limitAdvice(run, { ...tool, tools: ["wait_for_tasks"] })).toBe(
      "A person can raise the limit and continue it.",
    )
  })

  it("is absent where no limit of the run ended it", () => {
    expect(limitAdvice({ stopReason: "error", error: { message } }, { kind: "cli" })).toBeUndefined()
    const daily = dailyLimitText({ unit: "tokens", cap: 10, used: 9, reserved: 0, call: 5 })
    expect(limitAdvice({ stopReason: "budget", error: { message: daily } }, { kind: "cli" })).toBeUndefined()
    const pause = "nobody answered within 60 s (timing.pauseTimeoutSeconds)"
    expect(limitAdvice({ stopReason: "timeout", error: { message: pause } }, { kind: "cli" })).toBeUndefined()
  })

  it("is given on the command line for a question about the budget, and for no other", () => {
    const options = "raise it with --budget-usd or --budget-tokens"
    expect(budgetAdvice("The budget of this run is used up. Answer with a higher budget.")).toBe(options)
    expect(budgetAdvice("the budget does not cover another model call (…)")).toBe(options)
    expect(budgetAdvice("Which budget do you mean?")).toBeUndefined()
  })

  it("is added to the error of an outcome, on the command line instead of that of the server", () => {
    const served = withLimitAdvice(failed, "http")
    expect(served).toMatchObject({ error: { message: `${message}: send a message with a higher max_steps` } })
    const printed = { error: { message: `${message}: raise it with --max-steps` } }
    expect(withLimitAdvice(served, "cli")).toMatchObject(printed)
    expect(withLimitAdvice(failed, "cli")).toMatchObject(printed)
    const completed = { outcome: "started", task_id: "a", session_id: "a", run_id: "r" } as const
    expect(withLimitAdvice(completed, "cli")).toBe(completed)
  })
})
