import type { PolicyMode, PolicyRules, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isDelegationTool, patternCovers } from "../tools/tool-names.ts"

/** A tool, as far as policy depends on it. */
export interface PolicyTool {
  readonly name: string
  /** False where nobody can tell. */
  readonly readOnly: boolean
}

const strictness: Readonly<Record<PolicyMode, number>> = { auto: 0, prompt: 1, never: 2 }

export const isStricter = (mode: PolicyMode, than: PolicyMode): boolean => strictness[mode] > strictness[than]

export const strictest = (modes: readonly PolicyMode[]): PolicyMode =>
  modes.reduce<PolicyMode>((left, right) => (isStricter(right, left) ? right : left), "auto")

const specificity = (pattern: string): number => (pattern.endsWith("*") ? pattern.length : Number.POSITIVE_INFINITY)

const alwaysAuto: ReadonlySet<string> = new Set(["TodoWrite", "finish"])

/** What holds for a tool that no rule covers: what changes nothing runs, anything else asks. */
const defaultMode = (tool: PolicyTool): PolicyMode =>
  tool.readOnly || alwaysAuto.has(tool.name) || isDelegationTool(tool.name) ? "auto" : "prompt"

/** The mode of a tool under one set of rules: its exact name wins over prefixes, a longer prefix over a shorter one. */
export const decideToolPolicy = (tool: PolicyTool, rules: PolicyRules): PolicyMode => {
  if (tool.name === "finish") return "auto"
  const [best] = Object.entries(rules)
    .filter(([pattern]) => patternCovers(pattern, tool.name))
    .toSorted(([left], [right]) => specificity(right) - specificity(left))
  return best?.[1] ?? defaultMode(tool)
}

/** The mode of a tool in a run: the strictest of its own policy and of those that it inherited. */
export const runToolPolicy = (tool: PolicyTool, run: Pick<RunSnapshot, "policy" | "inheritedPolicies">): PolicyMode =>
  strictest([run.policy, ...run.inheritedPolicies].map((rules) => decideToolPolicy(tool, rules)))

/** What a call meets before anybody decided: it runs, it waits for a decision, or it is refused at once. */
export const dispositionOf = (
  tool: PolicyTool,
  run: Pick<RunSnapshot, "policy" | "inheritedPolicies" | "approval" | "never">,
): "auto" | "prompt" | "refuse" => {
  const mode = runToolPolicy(tool, run)
  if (mode === "never") return run.approval === "all" || run.never === "reject" ? "refuse" : "prompt"
  if (mode === "auto" || run.approval === "all") return "auto"
  return run.approval !== "policy" && run.approval.some((pattern) => patternCovers(pattern, tool.name))
    ? "auto"
    : "prompt"
}
