import type { ToolSurface } from "./surface.ts"

/** A call of a delegation tool as text, if the tool is among those of the reader. */
type Option = readonly [tool: string, call: string]

/** Returns the first call that the reader can make; undefined if it can make none. */
const firstOf = ({ tools }: ToolSurface, options: readonly Option[]): string | undefined =>
  options.find(([tool]) => tools.includes(tool))?.[1]

const quoted = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(", ")

/** Returns the call that waits for these sub-agents. */
export const waitCall = (surface: ToolSurface, ids: readonly string[]): string | undefined =>
  firstOf(surface, [
    ["wait_for_tasks", `wait_for_tasks {task_ids: [${quoted(ids)}]}`],
    ["subagents", `subagents {action: "wait"${ids.length === 1 ? `, target: ${quoted(ids)}` : ""}}`],
    ["sessions_yield", "sessions_yield {}"],
  ])

/** Returns the tool that waits for sub-agents. */
export const waitTool = (surface: ToolSurface): string | undefined =>
  firstOf(surface, [
    ["wait_for_tasks", "wait_for_tasks"],
    ["subagents", 'subagents {action: "wait"}'],
    ["sessions_yield", "sessions_yield"],
  ])

/** Returns the call that lists the reader's sub-agents. */
export const listCall = (surface: ToolSurface): string | undefined =>
  firstOf(surface, [
    ["get_all_tasks", "get_all_tasks {}"],
    ["sessions_list", "sessions_list {}"],
    ["subagents", 'subagents {action: "list"}'],
  ])

/** Returns the call that shows one sub-agent. */
export const lookCall = (surface: ToolSurface, taskId: string): string | undefined =>
  firstOf(surface, [
    ["get_task_details", `get_task_details {task_id: ${quoted([taskId])}}`],
    ["subagents", `subagents {action: "info", target: ${quoted([taskId])}}`],
  ])

/** Returns the call that decides the calls of a paused task, as far as the reader may. */
export const decidingToolCall = (surface: ToolSurface, taskId: string): string | undefined => {
  const approves = surface.mayApprove
  return firstOf(surface, [
    [
      "resume_subagent_task",
      `resume_subagent_task {task_id: ${quoted([taskId])}, ${approves ? "approve: […], reject: […]" : "reject_all: true"}}`,
    ],
    [
      "resume_task",
      `resume_task {task_id: ${quoted([taskId])}, tool_decisions: [{tool_call_id: "…", approved: ${approves ? "…" : "false"}}]}`,
    ],
  ])
}

/** Returns the call that answers the question of a paused task, or gives an ended one its next instruction. */
export const tellCall = (surface: ToolSurface, taskId: string): string | undefined => {
  const id = quoted([taskId])
  return firstOf(surface, [
    ["resume_subagent_task", `resume_subagent_task {task_id: ${id}, input: "…"}`],
    ["resume_task", `resume_task {task_id: ${id}, prompt: "…"}`],
    ["sessions_send", `sessions_send {sessionKey: ${id}, message: "…"}`],
    ["subagents", `subagents {action: "send", target: ${id}, message: "…"}`],
  ])
}

/** Returns the call that stops a sub-agent. */
export const stopCall = (surface: ToolSurface): string | undefined =>
  firstOf(surface, [
    ["cancel_task", 'cancel_task {task_id: "…"}'],
    ["subagents", 'subagents {action: "kill", target: "…"}'],
  ])
