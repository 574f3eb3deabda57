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
  "Its result will come to you as a message when it is done: go on with other work, or end your turn, which waits for it. Do not poll for it."
const outsideNote = 'Wait for it with subagents {action: "wait"}, or read it later. Do not poll in a loop.'

/** `sessions_spawn`, accepted. A caller from outside a run gets no message, so that it is told to wait. */
export const spawnAccepted = (child: SpawnedChild, from: "run" | "outside"): ToolAnswer => ({
  text: [
    `Sub-agent started: ${child.sessionId} (${child.childSessionKey}).`,
    ...(child.warning === undefined ? [] : [`Warning: ${child.warning}`]),
    from === "run" ? pushNote : outsideNote,
  ].join("\n"),
  structured: { status: "accepted", ...child },
  isError: false,
})

/** `sessions_spawn`, refused: the tool's own shape, and an error for whoever looks only at that. */
export const spawnRefused = (refusal: SpawnRefusal): ToolAnswer => ({
  text: refusal.error,
  structured: { status: refusal.status, error: refusal.error },
  isError: true,
})

/** `dynamic_subagent_task`, started. */
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
    `Sandbox: ${task.sandboxed ? "yes" : "no, calls that change something pause for approval"}`,
    "",
    `Collect it with wait_for_tasks {task_ids: ["${child.sessionId}"]} when you need it. Do not poll.`,
  ].join("\n"),
  structured: {
    task_id: child.sessionId,
    session_id: child.sessionId,
    run_id: child.runId,
    session_key: child.childSessionKey,
    status: "running",
    description: task.description,
    model: task.model,
    tools: task.tools,
    sandboxed: task.sandboxed,
  },
  isError: false,
})

/** The tasks family refuses with the sessions family's text. */
export const taskStartRefused = (refusal: SpawnRefusal): ToolAnswer => errorResult("TASK_START_FAILED", refusal.error)
