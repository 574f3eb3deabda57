import type { RunSnapshot, RunSubagents } from "../../contracts/run-snapshot.ts"
import { intersectTools, toolListCovers } from "./tool-names.ts"

/** Restricts the tools of a sub-agent by `tools.subagents`. A pattern is kept; the tools denied within it are recorded in `deniedTools`. */
export const withSubagentTools = (
  snapshot: RunSnapshot,
  { denyTools, allowTools }: Pick<RunSubagents, "denyTools" | "allowTools">,
): RunSnapshot => {
  const allowed = allowTools.length === 0 ? snapshot.tools : intersectTools(allowTools, snapshot.tools)
  return {
    ...snapshot,
    tools: allowed.filter((name) => !toolListCovers(denyTools, name)),
    deniedTools: [...new Set([...snapshot.deniedTools, ...denyTools])],
  }
}
