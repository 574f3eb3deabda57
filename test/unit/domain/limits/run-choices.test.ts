import { describe, expect, it } from "vitest"
import { sessionsSpawnInputSchema } from "../../../../contracts/delegation/sessions-input.ts"
import { llmProfileSchema } from "../../../../contracts/config/agent-profile.ts"
import { pickRunOptions, runOptionsShape } from "../../../../contracts/run/run-options.ts"
import { choicesAsked, choicesWith, narrowedValue, resolveChoices } from "../../../../domain/limits/run-choices.ts"

describe("the choices of a run", () => {
  it("are in requests, profiles and arguments under the names of the table", () => {
    expect(Object.keys(runOptionsShape)).toEqual(expect.arrayContaining(["pause_on_approval", "thinking"]))
    expect(pickRunOptions({ pause_on_approval: true, thinking: "low" })).toEqual({
      ...{ pause_on_approval: true, thinking: "low" },
    })
    expect(llmProfileSchema.safeParse({ thinking: "low" }).success).toBe(true)
    expect(llmProfileSchema.safeParse({ thinking: "most" }).success).toBe(false)
    expect(llmProfileSchema.safeParse({ pause_on_approval: true }).success).toBe(false)
    const input = sessionsSpawnInputSchema.parse({ task: "look", thinking: "high" })
    expect(choicesAsked("sessions_spawn", input)).toEqual({ thinking: "high" })
  })

  it("become settings: that of the request, else that of the run before, else the standard", () => {
    expect(resolveChoices({}, {})).toEqual({ pauseOnText: false })
    expect(resolveChoices({ pause_on_approval: true, thinking: "low" }, {})).toEqual({ pauseOnText: true })
    expect(choicesWith({}, { pauseOnText: true })).toEqual({ pauseOnText: true })
    expect(choicesWith({ pause_on_approval: false }, { pauseOnText: true })).toEqual({ pauseOnText: false })
  })

  it("are narrowed to those of the run that starts it, where the table says so", () => {
    const values = ["all", "some", "none"]
    const narrows = { values, narrows: true, standard: "all" } as const
    const pairs = values.map((base) => values.map((wanted) => narrowedValue(narrows, base, wanted)))
    expect(pairs).toEqual([["all", "some", "none"], ["some", "some", "none"], Array.from({ length: 3 }, () => "none")])
    expect(narrowedValue({ values, standard: "all" }, "none", "all")).toBe("all")
    // Of settings from before the choice existed.
    expect([narrowedValue(narrows, undefined, "some"), narrowedValue(narrows, "some", undefined)]).toEqual([
      "some",
      "some",
    ])
  })
})
