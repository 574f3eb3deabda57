import type { RunSnapshot } from "../../contracts/run-snapshot.ts"

/** The tool that changes files by a patch. Only models that know its format are offered it. */
export const applyPatchName = "apply_patch"

/** The tool that reads pages of the web. */
export const webFetchName = "WebFetch"

/** The built-in tools, in the order in which a model sees them. */
export const builtinToolNames = [
  "LS",
  "Glob",
  "Grep",
  "Read",
  "Write",
  "Edit",
  "MultiEdit",
  applyPatchName,
  "Bash",
  webFetchName,
  "TodoWrite",
] as const

/** The tool that loads a skill. Only runs whose working directory contains skills have it. */
export const skillToolName = "Skill"

/** The tools of the Task tool's children and of the read-only profiles. */
export const readingToolNames = ["LS", "TodoWrite", "Glob", "Grep", "Read"] as const

/** The delegation tools, by family. */
export const delegationToolNames = {
  task: ["Task"],
  tasks: [
    "dynamic_subagent_task",
    "resume_subagent_task",
    "resume_task",
    "get_task_details",
    "get_all_tasks",
    "wait_for_tasks",
    "cancel_task",
    "run_command_task",
  ],
  sessions: [
    "sessions_spawn",
    "agents_list",
    "sessions_list",
    "sessions_history",
    "sessions_send",
    "sessions_yield",
    "subagents",
    "sessions_merge",
  ],
} as const

/** The delegation tool that changes files of the caller. */
export const mergeToolName = "sessions_merge"

const allDelegationToolNames: ReadonlySet<string> = new Set(Object.values(delegationToolNames).flat())

export const isDelegationTool = (name: string): boolean => allDelegationToolNames.has(name)

/** The tools with which a model reaches tools of MCP servers that are not in its list. */
export const findToolsName = "find_tools"
export const callToolName = "call_tool"

const ownNames: ReadonlySet<string> = new Set([
  ...builtinToolNames,
  skillToolName,
  "finish",
  findToolsName,
  callToolName,
])

/** Returns whether Adjutant itself defines a tool: no MCP server, and no program that embeds it. */
export const isOwnTool = (name: string): boolean => ownNames.has(name) || isDelegationTool(name)

/** Returns the delegation tools of a run, regardless of its depth: those that the request named, else those of its family. */
export const delegationToolsOf = (run: Pick<RunSnapshot, "delegation" | "delegationTools">): readonly string[] =>
  run.delegationTools ?? (run.delegation === "none" ? [] : delegationToolNames[run.delegation])

/** The ordinary tool without which a run does not get a delegation tool that can do as much. */
const requiredTools: ReadonlyMap<string, string> = new Map([
  ["run_command_task", "Bash"],
  [mergeToolName, "Write"],
])

/** Returns the ordinary tool that can do what a tool can: Bash for a command, Write for merging changes, the tool itself for any other. */
export const ordinaryToolOf = (name: string): string => requiredTools.get(name) ?? name

/** Returns whether a run may use this delegation tool: a command requires Bash, and merging changes requires Write. */
export const hasToolFor = (run: Pick<RunSnapshot, "tools" | "deniedTools">, delegationTool: string): boolean => {
  const required = ordinaryToolOf(delegationTool)
  return required === delegationTool || isAllowedTool(run, required)
}

/** The tools of the sessions family for an orchestrator that is itself a sub-agent. */
const orchestratorToolNames: readonly string[] = [
  "sessions_spawn",
  "subagents",
  "sessions_list",
  "sessions_history",
  mergeToolName,
]

const isSessionsTool = (name: string): boolean => delegationToolNames.sessions.some((each) => each === name)

/**
 * Returns the delegation tools for a run at a depth: none for a leaf. Of the sessions family, a sub-agent gets at most an orchestrator's tools,
 * whatever a list names.
 */
export const offeredDelegationNames = (
  run: Pick<RunSnapshot, "delegation" | "delegationTools" | "subagents">,
  depth: number,
): readonly string[] => {
  if (depth >= run.subagents.maxSpawnDepth) return []
  const names = delegationToolsOf(run)
  return depth === 0 ? names : names.filter((name) => !isSessionsTool(name) || orchestratorToolNames.includes(name))
}

/** Returns the server of `mcp__<server>__<tool>`; undefined for other names. */
export const mcpServerOf = (toolName: string): string | undefined => /^mcp__((?:(?!__).)+)__./.exec(toolName)?.[1]

/** Returns whether a pattern (a name, or a prefix and `*`) covers a name or a narrower pattern. */
export const patternCovers = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1)))

/** Returns whether a run's tool list covers a tool or a narrower pattern. */
export const toolListCovers = (tools: readonly string[], name: string): boolean =>
  tools.some((pattern) => patternCovers(pattern, name))

/** Returns what both lists allow, in the order of `wanted`. */
export const intersectTools = (allowed: readonly string[], wanted: readonly string[]): readonly string[] => [
  ...new Set(
    wanted.flatMap((name) =>
      toolListCovers(allowed, name) ? [name] : allowed.filter((pattern) => patternCovers(name, pattern)),
    ),
  ),
]

/** The tools that change files: a patch does what both of them do. */
export const writingTools = ["Write", "Edit"] as const

const isDenied = ({ deniedTools }: Pick<RunSnapshot, "deniedTools">, name: string): boolean =>
  [name, ...(name === applyPatchName ? writingTools : [])].some((each) => toolListCovers(deniedTools, each))

/** Returns whether a run may use a tool: its list covers the tool, and it is not denied. */
export const isAllowedTool = (run: Pick<RunSnapshot, "tools" | "deniedTools">, name: string): boolean =>
  toolListCovers(run.tools, name) && !isDenied(run, name)

/** The models that learned the format of patches: those of OpenAI, also behind gateways. */
const patchingModel = /(^|[/:.])(ft:)?(gpt-|chatgpt-|codex|o\d(-|$))/i

/** Returns whether a run is offered a tool: it may use it, and its model knows how. */
export const isOfferedTool = (
  run: Pick<RunSnapshot, "tools" | "deniedTools" | "model" | "models">,
  name: string,
): boolean =>
  isAllowedTool(run, name) &&
  (name !== applyPatchName ||
    (Object.hasOwn(run.models, run.model) && patchingModel.test(run.models[run.model]?.model ?? "")))
