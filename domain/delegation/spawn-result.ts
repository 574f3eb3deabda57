import { advise } from "../advice/advise.ts"
import type { Surface } from "../advice/surface.ts"
import { assertNever } from "../assert-never.ts"
import { errorResult } from "./error-result.ts"
import type { SpawnRefusal } from "./spawn-refusals.ts"
import { toolAnswerOf, type ToolAnswer } from "./tool-answer.ts"

/** A child that was started. */
export interface SpawnedChild {
  readonly sessionId: string
  readonly runId: string
  readonly childSessionKey: string
  readonly warning?: string
}

/** A child, with what its settings came to. */
export interface StartedChild {
  readonly child: SpawnedChild
  readonly title: string
  readonly model: string
  readonly tools: readonly string[]
  readonly sandboxed: boolean
  /** Its commands run in the sandbox of a task. */
  readonly taskSandbox?: boolean | undefined
}

/** The tools that start a child and return at once. */
export type StartingTool = "dynamic_subagent_task" | "run_command_task" | "sessions_spawn"

const warningLine = ({ warning }: SpawnedChild): readonly string[] =>
  warning === undefined ? [] : [`Warning: ${warning}`]

/** What every task that was started says about itself. */
const startedFields = ({ child, title }: StartedChild) => ({
  task_id: child.sessionId,
  session_id: child.sessionId,
  run_id: child.runId,
  session_key: child.childSessionKey,
  status: "running",
  description: title,
  ...(child.warning === undefined ? {} : { warning: child.warning }),
})

/** Only the sandbox of a task spares the questions; any other one confines, and changes no approval. */
const sandboxSaid = ({ sandboxed, taskSandbox }: StartedChild): string => {
  if (taskSandbox === true) return "yes: commands only read the working directory"
  return `${sandboxed ? "yes" : "no"}; calls that change something require approval`
}

const taskSaid = (started: StartedChild) => ({
  text: [
    `Sub-agent started.`,
    "",
    `Task ID: ${started.child.sessionId}`,
    `Description: ${started.title}`,
    `Model: ${started.model}`,
    `Tools: ${started.tools.join(", ")}`,
    `Sandbox: ${sandboxSaid(started)}`,
    ...warningLine(started.child),
  ].join("\n"),
  data: {
    ...startedFields(started),
    ...{ model: started.model, tools: started.tools, sandboxed: started.sandboxed },
  },
})

const commandSaid = (started: StartedChild) => ({
  text: [
    "Command started as a task.",
    "",
    `Task ID: ${started.child.sessionId}`,
    `Description: ${started.title}`,
    ...warningLine(started.child),
  ].join("\n"),
  data: startedFields(started),
  lead: "It may wait for approval first, as a call of Bash does.",
})

const sessionSaid = ({ child }: StartedChild) => ({
  text: [
    `Sub-agent started: ${child.sessionId} (${child.childSessionKey}), run ${child.runId}.`,
    ...warningLine(child),
  ].join("\n"),
  data: { status: "accepted", ...child },
})

const saidBy = (
  tool: StartingTool,
  started: StartedChild,
): { readonly text: string; readonly data: ToolAnswer["structured"]; readonly lead?: string } => {
  switch (tool) {
    case "dynamic_subagent_task":
      return taskSaid(started)
    case "run_command_task":
      return commandSaid(started)
    case "sessions_spawn":
      return sessionSaid(started)
    default:
      return assertNever(tool)
  }
}

/** Returns the answer of a tool that has started a child. */
export const startedAnswer = (tool: StartingTool, started: StartedChild, surface: Surface): ToolAnswer => {
  const { text, data, lead } = saidBy(tool, started)
  const collect = advise({ about: "result", ids: [started.child.sessionId] }, surface)
  return toolAnswerOf({ text, data, next: [lead ?? [], collect ?? []].flat().join(" ") })
}

/** Returns what the caller can do about a refusal. */
const nextOf = ({ about }: SpawnRefusal, surface: Surface): string | undefined =>
  about === "places" || about === "depth" ? advise({ about }, surface) : undefined

/** Returns the answer of a tool that has started nothing: `sessions_spawn` has a shape of its own, the tasks say the same as an error. */
export const refusedSpawnAnswer = (tool: StartingTool, refusal: SpawnRefusal, surface: Surface): ToolAnswer => {
  const { status, error, about } = refusal
  const next = nextOf(refusal, surface)
  return tool === "sessions_spawn"
    ? toolAnswerOf({ text: error, data: { status, error }, next, isError: true })
    : errorResult(about === "arguments" ? "VALIDATION_ERROR" : "TASK_START_FAILED", error, next)
}
