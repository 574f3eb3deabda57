import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { PolicyMode, PolicyRules } from "../../contracts/approval/run-policy.ts"
import { applyPatchName, isDelegationTool, mergeToolName, patternCovers, writingTools } from "../tools/tool-names.ts"

/** A tool, as far as policy depends on it. A `binary` profile's program counts as the tool `binary:<profile>`. */
export interface PolicyTool {
  readonly name: string
  /** False if unknown. */
  readonly readOnly: boolean
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

const writingMode = (rules: PolicyRules): PolicyMode =>
  strictest(writingTools.map((name) => decideToolPolicy({ name, readOnly: false }, rules)))

/**
 * Returns the mode of a tool under one set of rules. Merging changes into files and patching them are never allowed where writing them is not, and a patch
 * that no rule names by its tool is what Write and Edit are.
 */
export const modeUnder = (tool: PolicyTool, rules: PolicyRules): PolicyMode => {
  const mode = decideToolPolicy(tool, rules)
  if (tool.name !== mergeToolName && tool.name !== applyPatchName) return mode
  const writing = writingMode(rules)
  if (writing === "never") return "never"
  return tool.name === applyPatchName && !Object.hasOwn(rules, applyPatchName) ? writing : mode
}

/** Returns the mode of a tool in a run: the strictest of the run's own policy and of those that it inherited. */
export const runToolPolicy = (tool: PolicyTool, run: Pick<RunSnapshot, "policy" | "inheritedPolicies">): PolicyMode =>
  strictest([run.policy, ...run.inheritedPolicies].map((rules) => modeUnder(tool, rules)))
