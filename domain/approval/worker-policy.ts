import type { Config } from "../../contracts/config/config.ts"
import type { ApprovalRuleConfig } from "../../contracts/config/people.ts"
import type { People } from "../people/person.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { PolicyMode, PolicyRules, SandboxMode } from "../../contracts/approval/run-policy.ts"
import { stricterSandbox } from "./process-sandbox.ts"
import { decideToolPolicy, modeUnder } from "./tool-policy.ts"
import { mergeToolName, writingTools } from "../tools/tool-names.ts"

/** What a worker's own configuration demands of every run that it executes, whichever configuration the run was started with. */
export interface WorkerPolicy {
  readonly sandbox: SandboxMode
  readonly policy: PolicyRules
  /** Who decides about which calls, and who these people are. */
  readonly approvals?: readonly ApprovalRuleConfig[]
  readonly people?: People
  /** The tokens of HTTP callers: what they have given earlier ends with their right to give it. */
  readonly tokens?: readonly Pick<Config["http"]["tokens"][number], "name" | "scopes">[]
}

export const workerPolicyOf = ({ security, tools, approvals, people, http }: Config): WorkerPolicy => ({
  sandbox: security.sandbox.mode,
  policy: tools.policy,
  approvals,
  people,
  tokens: http.tokens.map(({ name, scopes }) => ({ name, scopes })),
})

/**
 * Returns the worker's rules as a policy that a run inherits: tools that none of them names stay as they are, and merging changes into files is asked
 * about where writing them is. What the worker never allows is refused instead.
 */
const inheritedFrom = ({ policy }: WorkerPolicy): PolicyRules => {
  const named = {
    "*": "auto",
    ...Object.fromEntries(Object.entries(policy).filter(([, mode]) => mode !== "never")),
  } as const
  const asks = writingTools.some((name) => decideToolPolicy({ name, readOnly: false }, named) === "prompt")
  return asks ? { [mergeToolName]: "prompt", ...named } : named
}

const withPolicy = (run: RunSnapshot, worker: WorkerPolicy): RunSnapshot => {
  const rules = inheritedFrom(worker)
  const same = [rules, worker.policy].map((policy) => JSON.stringify(policy))
  const isKnown = [run.policy, ...run.inheritedPolicies].some((policy) => same.includes(JSON.stringify(policy)))
  return isKnown || !Object.values(rules).includes("prompt")
    ? run
    : { ...run, inheritedPolicies: [...run.inheritedPolicies, rules] }
}

/** Returns a run's settings that are at least as strict as the worker's: its sandbox mode, and the tools that the worker asks about. */
export const withWorkerPolicy = (run: RunSnapshot, worker: WorkerPolicy | undefined): RunSnapshot => {
  if (worker === undefined) return run
  const raised = withPolicy(run, worker)
  const sandbox = stricterSandbox(run.sandbox, worker.sandbox)
  return sandbox === run.sandbox ? raised : { ...raised, sandbox }
}

/** Returns the mode that the worker's own rules demand of a tool. A tool that none of them names is left to the run's policy: `auto`. */
export const workerModeOf = (name: string, worker: WorkerPolicy | undefined): PolicyMode => {
  if (worker === undefined) return "auto"
  // No tool that a run can execute becomes stricter than `prompt` without a rule.
  const tool = { name, readOnly: false }
  return modeUnder(tool, worker.policy) === "never" ? "never" : modeUnder(tool, inheritedFrom(worker))
}
