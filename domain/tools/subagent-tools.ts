import type { RunSnapshot, RunSubagents } from "../../contracts/run-snapshot.ts"
import { intersectTools, toolListCovers } from "./tool-names.ts"

/** What `tools.subagents` leaves to a session that is somebody's sub-agent. A pattern stays, less what is denied of it. */
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
