import type { PolicyMode, PolicyRules, RunSnapshot, SandboxMode } from "../../contracts/run-snapshot.ts"
import type { CallDisposition } from "../run/tool-batch.ts"
import { isDelegationTool, mergeToolName, patternCovers, toolListCovers } from "../tools/tool-names.ts"

/** A tool, as far as policy depends on it. A `binary` profile's program counts as the tool `binary:<profile>`. */
export interface PolicyTool {
  readonly name: string
  /** False if unknown. */
  readonly readOnly: boolean
  /** Whether the call changes a protected path (domain/workspace/protected-paths.ts): it counts as one that policy never allows. */
  readonly isProtected?: boolean | undefined
}

const strictness: Readonly<Record<PolicyMode, number>> = { auto: 0, prompt: 1, never: 2 }

export const isStricter = (mode: PolicyMode, than: PolicyMode): boolean => strictness[mode] > strictness[than]

export const strictest = (modes: readonly PolicyMode[]): PolicyMode =>
  modes.reduce<PolicyMode>((left, right) => (isStricter(right, left) ? right : left), "auto")

const specificity = (pattern: string): number => (pattern.endsWith("*") ? pattern.length : Number.POSITIVE_INFINITY)

const alwaysAuto: ReadonlySet<string> = new Set(["TodoWrite", "finish"])

/** Returns the mode of a tool that no rule covers: a read-only tool runs, any other requires approval. */
const defaultMode = (tool: PolicyTool): PolicyMode =>
  tool.readOnly || alwaysAuto.has(tool.name) || (isDelegationTool(tool.name) && tool.name !== mergeToolName)
    ? "auto"
    : "prompt"

/** Returns the mode of a tool under one set of rules. Its exact name takes precedence over prefixes, a longer prefix over a shorter one. */
export const decideToolPolicy = (tool: PolicyTool, rules: PolicyRules): PolicyMode => {
  if (tool.name === "finish") return "auto"
  const [best] = Object.entries(rules)
    .filter(([pattern]) => patternCovers(pattern, tool.name))
    .toSorted(([left], [right]) => specificity(right) - specificity(left))
  return best?.[1] ?? defaultMode(tool)
}

/** Returns the mode of a tool under one set of rules. Merging changes into files is never allowed where writing them is not. */
export const modeUnder = (tool: PolicyTool, rules: PolicyRules): PolicyMode => {
  const mode = decideToolPolicy(tool, rules)
  if (tool.name !== mergeToolName) return mode
  const isNever = ["Write", "Edit"].some((name) => decideToolPolicy({ name, readOnly: false }, rules) === "never")
  return isNever ? "never" : mode
}

/** Returns the mode of a tool in a run: the strictest of the run's own policy and of those that it inherited. */
export const runToolPolicy = (tool: PolicyTool, run: Pick<RunSnapshot, "policy" | "inheritedPolicies">): PolicyMode =>
  strictest([run.policy, ...run.inheritedPolicies].map((rules) => modeUnder(tool, rules)))

/** Whether a run's Bash may run without a sandbox and without being asked about. */
const mayRunUnconfined = ({ sandbox, unconfined }: Pick<RunSnapshot, "sandbox" | "unconfined">): boolean =>
  sandbox === "off" || unconfined === true

type ApprovalSettings = Pick<RunSnapshot, "policy" | "inheritedPolicies" | "approval" | "never">

/** Returns the disposition of a call by the run's policy and approval alone, without regard to the sandbox. */
export const dispositionByPolicy = (tool: PolicyTool, run: ApprovalSettings): CallDisposition => {
  const mode = tool.isProtected === true ? "never" : runToolPolicy(tool, run)
  if (mode === "never") return run.approval === "all" || run.never === "reject" ? "refuse" : "prompt"
  if (mode === "auto" || run.approval === "all") return "auto"
  return run.approval !== "policy" && toolListCovers(run.approval, tool.name) ? "auto" : "prompt"
}

/** Returns whether the disposition of a tool depends on whether it is read-only. Only then is the MCP server asked about its tool. */
export const dependsOnReadOnly = (name: string, run: ApprovalSettings): boolean =>
  dispositionByPolicy({ name, readOnly: true }, run) !== dispositionByPolicy({ name, readOnly: false }, run)

const programPrefix = "binary:"

/** Returns the tool name that policy uses for the program of a `binary` profile. */
export const programName = (agent: string): string => `${programPrefix}${agent}`

/** Returns whether a call starts processes, so that its disposition depends on the sandbox: Bash and the programs of `binary` profiles. */
export const startsProcesses = (name: string): boolean => name === "Bash" || name.startsWith(programPrefix)

type SandboxSettings = Pick<RunSnapshot, "sandbox" | "sandboxed" | "taskSandbox" | "unconfined">

/** Returns whether a run's processes may run only inside a sandbox. */
export const mustBeConfined = ({ sandbox, sandboxed, taskSandbox }: SandboxSettings): boolean =>
  sandboxed || taskSandbox === true || sandbox === "require"

/** Returns the sandbox mode for a call's processes. A program runs in a sandbox only if it must; Bash runs in one whenever one is available. */
export const sandboxModeOf = (name: string, run: SandboxSettings): SandboxMode => {
  if (name.startsWith(programPrefix)) return mustBeConfined(run) ? "auto" : "off"
  return run.sandbox === "require" ? "auto" : run.sandbox
}

/**
 * Returns whether a grant can let a call run that waits for a decision: never one of a tool that policy never allows, one that changes a protected path,
 * or a process outside a sandbox.
 */
export const mayBeGranted = (
  tool: PolicyTool,
  run: Pick<RunSnapshot, "policy" | "inheritedPolicies">,
  isConfined: boolean,
): boolean =>
  tool.isProtected !== true && runToolPolicy(tool, run) !== "never" && (!startsProcesses(tool.name) || isConfined)

/** `unconfined`: the call may run only inside a sandbox, and none is available. */
export type Disposition = CallDisposition | "unconfined"

/**
 * Returns the disposition of a call before anyone has decided: it runs (`auto`), it waits for a decision (`prompt`), policy refuses it (`refuse`),
 * or there is no sandbox for it (`unconfined`). `isConfined` says whether the sandbox of `sandboxModeOf` works; it matters only if `startsProcesses`.
 *
 * - Of a task with `enable_sandbox`, nothing that a confined process does leaves the task: it needs no approval unless policy says `never`. A sandbox
 *   that the run's caller demanded changes nothing.
 * - Bash outside a sandbox requires approval even if policy says `auto`. In a run that asks nobody about it, it does not run at all, unless sandboxes are
 *   switched off or the run was started with `--unconfined`.
 */
export const dispositionOf = (
  tool: PolicyTool,
  run: ApprovalSettings & SandboxSettings,
  isConfined: boolean,
): Disposition => {
  const byPolicy = dispositionByPolicy(tool, run)
  if (!startsProcesses(tool.name)) return byPolicy
  if (isConfined) return run.taskSandbox === true && runToolPolicy(tool, run) !== "never" ? "auto" : byPolicy
  if (tool.name !== "Bash") return byPolicy
  if (mustBeConfined(run)) return "unconfined"
  if (byPolicy !== "auto") return byPolicy
  const asksNobody = run.approval === "all" || (run.approval !== "policy" && run.approval.includes(tool.name))
  if (!asksNobody) return "prompt"
  return mayRunUnconfined(run) ? "auto" : "unconfined"
}
