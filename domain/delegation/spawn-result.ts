import { errorResult } from "./error-result.ts"
import type { SpawnRefusal } from "./spawn-refusals.ts"
import type { ToolAnswer } from "./tool-answer.ts"

/** A child that was started. */
export interface SpawnedChild {
  readonly sessionId: string
  readonly runId: string
  readonly childSessionKey: string
  readonly warning?: string
}

const pushNote =
  "You will receive its result as a message when it is done: continue with other work, or end your turn to wait for it. Do not poll."
const outsideNote = 'Wait for it with subagents {action: "wait"}, or read it later. Do not poll in a loop.'

/** Returns the answer of an accepted `sessions_spawn`. A caller from outside a run gets no message, so it is told to wait for the result. */
export const spawnAccepted = (child: SpawnedChild, from: "run" | "outside"): ToolAnswer => ({
  text: [
    `Sub-agent started: ${child.sessionId} (${child.childSessionKey}), run ${child.runId}.`,
    ...(child.warning === undefined ? [] : [`Warning: ${child.warning}`]),
    from === "run" ? pushNote : outsideNote,
  ].join("\n"),
  structured: { status: "accepted", ...child },
  isError: false,
})

/** Returns the answer of a refused `sessions_spawn`, in the tool's own shape and marked as an error. */
export const spawnRefused = (refusal: SpawnRefusal): ToolAnswer => ({
  text: refusal.error,
  structured: { status: refusal.status, error: refusal.error },
  isError: true,
})

/** What every task that was started says about itself. */
const startedFields = (child: SpawnedChild, description: string) => ({
  task_id: child.sessionId,
  session_id: child.sessionId,
  run_id: child.runId,
  session_key: child.childSessionKey,
  status: "running",
  description,
})

const resultHint = ({ sessionId }: SpawnedChild): string =>
  `Get its result with wait_for_tasks {task_ids: ["${sessionId}"]} when you need it. Do not poll.`

/** Returns the answer of `dynamic_subagent_task` when the child has started. */
export const taskStarted = (
  child: SpawnedChild,
  task: {
    readonly description: string
    readonly model: string
    readonly tools: readonly string[]
    readonly sandboxed: boolean
  },
): ToolAnswer => ({
  text: [
    `Sub-agent started.`,
    "",
    `Task ID: ${child.sessionId}`,
    `Description: ${task.description}`,
    `Model: ${task.model}`,
    `Tools: ${task.tools.join(", ")}`,
    `Sandbox: ${task.sandboxed ? "yes: commands only read the working directory" : "no; calls that change something require approval"}`,
    "",
    resultHint(child),
  ].join("\n"),
  structured: {
    ...startedFields(child, task.description),
    model: task.model,
    tools: task.tools,
    sandboxed: task.sandboxed,
  },
  isError: false,
})

/** Returns the answer of `run_command_task` when the command was accepted as a task. */
export const commandStarted = (child: SpawnedChild, task: { readonly description: string }): ToolAnswer => ({
  text: [
    "Command started as a task.",
    "",
    `Task ID: ${child.sessionId}`,
    `Description: ${task.description}`,
    "",
    `It may wait for approval first, as a call of Bash does. ${resultHint(child)}`,
  ].join("\n"),
  structured: startedFields(child, task.description),
  isError: false,
})

/** Returns the answer of a refused `dynamic_subagent_task`, with the text of the sessions family. */
export const taskStartRefused = (refusal: SpawnRefusal): ToolAnswer => errorResult("TASK_START_FAILED", refusal.error)
