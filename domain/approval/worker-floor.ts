import type { Config } from "../../contracts/config/config.ts"
import type { PolicyRules, RunSnapshot, SandboxMode } from "../../contracts/run-snapshot.ts"
import { decideToolPolicy, modeUnder, runToolPolicy } from "./disposition.ts"
import { mergeToolName } from "../tools/tool-names.ts"
import { stricterSandbox } from "../limits/narrow-limits.ts"

/** What a worker's own configuration demands of every run that it executes, whichever configuration the run was started with. */
export interface WorkerFloor {
  readonly sandbox: SandboxMode
  readonly policy: PolicyRules
}

export const workerFloorOf = ({ security, tools }: Config): WorkerFloor => ({
  sandbox: security.sandbox,
  policy: tools.policy,
})

const writesFiles = ["Write", "Edit"]

/**
 * Returns the worker's rules as a policy that a run inherits: tools that none of them names stay as they are, and merging changes into files is asked
 * about where writing them is. What the worker never allows is refused instead.
 */
const inheritedFrom = ({ policy }: WorkerFloor): PolicyRules => {
  const named = {
    "*": "auto",
    ...Object.fromEntries(Object.entries(policy).filter(([, mode]) => mode !== "never")),
  } as const
  const asks = writesFiles.some((name) => decideToolPolicy({ name, readOnly: false }, named) === "prompt")
  return asks ? { [mergeToolName]: "prompt", ...named } : named
}

const withPolicy = (run: RunSnapshot, floor: WorkerFloor): RunSnapshot => {
  const rules = inheritedFrom(floor)
  const same = [rules, floor.policy].map((policy) => JSON.stringify(policy))
  const isKnown = [run.policy, ...run.inheritedPolicies].some((policy) => same.includes(JSON.stringify(policy)))
  return isKnown || !Object.values(rules).includes("prompt")
    ? run
    : { ...run, inheritedPolicies: [...run.inheritedPolicies, rules] }
}

/** Returns a run's settings that are at least as strict as the worker's: its sandbox mode, and the tools that the worker asks about. */
export const raiseToFloor = (run: RunSnapshot, floor: WorkerFloor | undefined): RunSnapshot => {
  if (floor === undefined) return run
  const raised = withPolicy(run, floor)
  const sandbox = stricterSandbox(run.sandbox, floor.sandbox)
  return sandbox === run.sandbox ? raised : { ...raised, sandbox }
}

/** Returns whether the worker's own rules ask about a tool. */
export const isAskedByFloor = (name: string, floor: WorkerFloor | undefined): boolean =>
  floor !== undefined && decideToolPolicy({ name, readOnly: false }, inheritedFrom(floor)) === "prompt"

/**
 * Returns why a worker does not execute a tool: its own configuration never allows the tool, but the run's settings do, so that nobody may have been
 * asked. Undefined if it can.
 */
export const refusedByFloor = (
  name: string,
  run: Pick<RunSnapshot, "policy" | "inheritedPolicies">,
  floor: WorkerFloor | undefined,
): string | undefined => {
  // No tool that a run can execute becomes stricter than `prompt` without a rule.
  const tool = { name, readOnly: false }
  if (floor === undefined || modeUnder(tool, floor.policy) !== "never") return undefined
  return runToolPolicy(tool, run) === "never"
    ? undefined
    : `${name} is refused: the configuration of the worker that executes this run never allows it (tools.policy)`
}
