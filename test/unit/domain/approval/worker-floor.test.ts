import { expect, test } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { raiseToFloor, refusedByFloor } from "../../../../domain/approval/worker-floor.ts"

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
