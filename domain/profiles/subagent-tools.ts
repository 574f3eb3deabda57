import type { Config } from "../../contracts/config/config.ts"
import type { RunSnapshot, RunSubagents } from "../../contracts/run-snapshot.ts"
import { findProfile } from "./builtin-profiles.ts"
import { intersectTools, toolListCovers } from "../tools/tool-names.ts"

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

/** Returns whether callers from outside a run may start commands: the general profile has Bash, and sub-agents may use it. */
export const mayRunCommands = ({ agents, tools }: Pick<Config, "agents" | "tools">): boolean => {
  const general = findProfile("general", agents)
  const { deny, allow } = tools.subagents
  return (
    general?.type === "llm" &&
    (general.tools === undefined || toolListCovers(general.tools, "Bash")) &&
    !toolListCovers(deny, "Bash") &&
    (allow.length === 0 || toolListCovers(allow, "Bash"))
  )
}
