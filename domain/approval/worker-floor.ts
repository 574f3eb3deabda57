import type { Config } from "../../contracts/config/config.ts"
import type { PolicyRules, RunSnapshot, SandboxMode } from "../../contracts/run-snapshot.ts"
import { decideToolPolicy, runToolPolicy } from "./disposition.ts"
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

/** Returns a run's settings with a sandbox mode that is at least as strict as the worker's. */
export const raiseToFloor = (run: RunSnapshot, floor: WorkerFloor | undefined): RunSnapshot => {
  const sandbox = floor === undefined ? run.sandbox : stricterSandbox(run.sandbox, floor.sandbox)
  return sandbox === run.sandbox ? run : { ...run, sandbox }
}

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
  if (floor === undefined || decideToolPolicy(tool, floor.policy) !== "never") return undefined
  return runToolPolicy(tool, run) === "never"
    ? undefined
    : `${name} is refused: the configuration of the worker that executes this run never allows it (tools.policy)`
}
