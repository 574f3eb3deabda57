import { expect, test } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { gate } from "../../../../domain/approval/gate.ts"
import { settingsFacts } from "../../../../domain/approval/settings-facts.ts"
import { withWorkerPolicy, type WorkerPolicy, workerModeOf } from "../../../../domain/approval/worker-policy.ts"
import { judgeSettings, plainCall } from "../../../helpers/approval/call-facts.ts"

const run = {
  sandbox: "auto",
  policy: { "*": "auto" },
  inheritedPolicies: [],
  approval: "all",
} as unknown as RunSnapshot

test.each([
  ["off", "auto"],
  ["auto", "auto"],
  ["require", "require"],
] as const)("a worker whose own sandbox mode is %s executes a run with the mode auto as %s", (own, expected) => {
  expect(withWorkerPolicy(run, { sandbox: own, policy: {} }).sandbox).toBe(expected)
  expect(withWorkerPolicy({ ...run, sandbox: "require" }, { sandbox: own, policy: {} }).sandbox).toBe("require")
})

const verdictOf = (name: string, settings: RunSnapshot, workerPolicy: WorkerPolicy | undefined) =>
  gate({ ...settingsFacts({ name, readOnly: false }, settings, workerPolicy), ...plainCall })

test("a worker refuses what its own policy never allows, unless the run's policy never allows it either", () => {
  const workerPolicy = { sandbox: "off", policy: { "mcp__db__*": "never", Bash: "never", Write: "prompt" } } as const
  for (const name of ["Bash", "mcp__db__drop"])
    expect(verdictOf(name, run, workerPolicy)).toMatchObject({
      verdict: "refuse",
      why: { about: "worker", text: expect.stringContaining(`${name} is refused`) },
    })
  for (const name of ["Read", "finish"]) expect(verdictOf(name, run, workerPolicy)).toEqual({ verdict: "run" })
  const cautious: RunSnapshot = { ...run, inheritedPolicies: [{ Bash: "never" }], approval: "policy", never: "pause" }
  expect(verdictOf("Bash", cautious, workerPolicy)).toMatchObject({ verdict: "ask" })
  expect(verdictOf("Bash", run, undefined)).toEqual({ verdict: "run" })
})

const asking = {
  sandbox: "off",
  policy: { Write: "prompt", "mcp__*": "prompt", mcp__db__read: "auto", Bash: "never" },
} as const
const approvingNothing = { ...run, approval: "policy", never: "pause", sandboxed: false } as RunSnapshot

test("a worker asks about a tool if its own policy does, and about no other one", () => {
  const raised = withWorkerPolicy(approvingNothing, asking)
  const verdict = (name: string) => judgeSettings({ name, readOnly: false }, raised)
  expect(["Write", "mcp__db__drop"].map(verdict)).toEqual(["ask", "ask"])
  expect(["mcp__db__read", "Edit", "Bash", "finish"].map(verdict)).toEqual(["run", "run", "run", "run"])
  expect(verdictOf("Write", approvingNothing, asking)).toMatchObject({
    why: [{ text: expect.stringContaining("Write") }],
  })
  // The caller of the run has approved everything: that is its answer to each question.
  expect(verdictOf("Write", { ...raised, approval: "all" }, asking)).toEqual({ verdict: "run" })
  expect(withWorkerPolicy(raised, asking)).toBe(raised)
  expect(withWorkerPolicy(run, { sandbox: "off", policy: { Write: "auto", Bash: "never" } })).toBe(run)
  const same = { ...run, policy: asking.policy }
  expect(withWorkerPolicy(same, { ...asking, sandbox: "off" })).toBe(same)
})

test("a worker that never allows writing never allows merging, and one that asks about writing asks about merging", () => {
  const modeOfMerge = (policy: WorkerPolicy["policy"]) => workerModeOf("sessions_merge", { sandbox: "off", policy })
  expect(modeOfMerge({ Write: "never" })).toBe("never")
  expect(modeOfMerge({ Edit: "prompt" })).toBe("prompt")
  expect(modeOfMerge({ Edit: "prompt", sessions_merge: "auto" })).toBe("auto")
  expect(modeOfMerge({})).toBe("auto")
})
