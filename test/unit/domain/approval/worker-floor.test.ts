import { expect, test } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { dispositionByPolicy } from "../../../../domain/approval/disposition.ts"
import { isAskedByFloor, raiseToFloor, refusedByFloor } from "../../../../domain/approval/worker-floor.ts"

const run = { sandbox: "auto", policy: { "*": "auto" }, inheritedPolicies: [] } as unknown as RunSnapshot

test.each([
  ["off", "auto"],
  ["auto", "auto"],
  ["require", "require"],
] as const)("a worker whose own sandbox mode is %s executes a run with the mode auto as %s", (own, expected) => {
  expect(raiseToFloor(run, { sandbox: own, policy: {} }).sandbox).toBe(expected)
  expect(raiseToFloor({ ...run, sandbox: "require" }, { sandbox: own, policy: {} }).sandbox).toBe("require")
})

test("a worker refuses what its own policy never allows, unless the run's policy asks for it, too", () => {
  const floor = { sandbox: "off", policy: { "mcp__db__*": "never", Bash: "never", Write: "prompt" } } as const
  for (const name of ["Bash", "mcp__db__drop"]) expect(refusedByFloor(name, run, floor)).toContain(`${name} is refused`)
  for (const name of ["Write", "Read", "finish"]) expect(refusedByFloor(name, run, floor)).toBeUndefined()
  expect(refusedByFloor("Bash", { ...run, inheritedPolicies: [{ Bash: "never" }] }, floor)).toBeUndefined()
  expect(refusedByFloor("Bash", run, undefined)).toBeUndefined()
})

const asking = {
  sandbox: "off",
  policy: { Write: "prompt", "mcp__*": "prompt", mcp__db__read: "auto", Bash: "never" },
} as const
const approvingNothing = { ...run, approval: "policy", never: "pause", sandboxed: false } as RunSnapshot

test("a worker asks about a tool if its own policy does, and about no other one", () => {
  const raised = raiseToFloor(approvingNothing, asking)
  const modeOf = (name: string) => dispositionByPolicy({ name, readOnly: false }, raised)
  expect(["Write", "mcp__db__drop"].map(modeOf)).toEqual(["prompt", "prompt"])
  expect(["mcp__db__read", "Edit", "Bash", "finish"].map(modeOf)).toEqual(["auto", "auto", "auto", "auto"])
  // The caller of the run has approved everything: that is its answer to each question.
  expect(dispositionByPolicy({ name: "Write", readOnly: false }, { ...raised, approval: "all" })).toBe("auto")
  expect(raiseToFloor(raised, asking)).toBe(raised)
  expect(raiseToFloor(run, { sandbox: "off", policy: { Write: "auto", Bash: "never" } })).toBe(run)
  const same = { ...run, policy: asking.policy }
  expect(raiseToFloor(same, { ...asking, sandbox: "off" })).toBe(same)
})

test("a worker that never allows writing refuses to merge, and one that asks about writing asks about merging", () => {
  const never = { sandbox: "off", policy: { Write: "never" } } as const
  expect(refusedByFloor("sessions_merge", run, never)).toContain("sessions_merge is refused")
  expect(isAskedByFloor("sessions_merge", never)).toBe(false)
  const asks = { sandbox: "off", policy: { Edit: "prompt" } } as const
  expect(isAskedByFloor("sessions_merge", asks)).toBe(true)
  expect(refusedByFloor("sessions_merge", run, asks)).toBeUndefined()
  const allows = { sandbox: "off", policy: { Edit: "prompt", sessions_merge: "auto" } } as const
  expect(isAskedByFloor("sessions_merge", allows)).toBe(false)
})
