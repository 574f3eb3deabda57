import type { LogEntry } from "@temporalio/worker"
import { sessionIdOf } from "../domain/engine/engine-names.ts"
import { isRecord } from "../domain/text/is-record.ts"
import { errorMessage } from "../domain/text/error-message.ts"

/** An entry of the engine as our log has it. `engine` contains what only log collectors need. */
export interface ReadableEntry {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What the activities that call something outside Adjutant do, for people. */
const actions: Readonly<Record<string, string>> = {
  callModel: "the model call",
  runTool: "the tool call",
  runBinary: "the program",
  callBridge: "the MCP tool",
  runHooks: "a hook",
  deliver: "a delivery",
}

const actionOf = (activityType: unknown): string => {
  const name = String(activityType)
  return (Object.hasOwn(actions, name) ? actions[name] : undefined) ?? `the activity ${name}`
}

/** Returns the reasons of an error, the outermost first, as one text. */
const reasonOf = (error: unknown): string => {
  const reasons: string[] = []
  for (let each: unknown = error; each !== undefined && reasons.length < 5;) {
    reasons.push(errorMessage(each))
    each = each instanceof Error ? each.cause : undefined
  }
  return reasons.join(": ")
}

const failureOf = (message: string, meta: Readonly<Record<string, unknown>>): string | undefined => {
  const attempt = Number(meta["attempt"] ?? 1)
  if (message === "Activity failed")
    return `${actionOf(meta["activityType"])} failed${attempt > 1 ? ` at attempt ${attempt}` : ""}`
  return message === "Workflow failed" ? "the workflow failed" : undefined
}

/** Returns an entry of the engine so that its message is one line that a person understands. */
export const readableEntry = ({ message, meta }: Pick<LogEntry, "message" | "meta">): ReadableEntry => {
  const { error, ...rest } = isRecord(meta) ? meta : {}
  const reason = error === undefined ? "" : `: ${reasonOf(error)}`
  const fields = { ...(error === undefined ? {} : { err: error }), engine: rest }
  const failure = failureOf(message, rest)
  if (failure === undefined) return { message: `Temporal: ${message}${reason}`, fields }
  const workflowId = String(rest["workflowId"])
  const sessionId = sessionIdOf(workflowId)
  return {
    message: `${sessionId === undefined ? workflowId : `task ${sessionId}`}: ${failure}${reason}`,
    fields: { ...(sessionId === undefined ? {} : { session_id: sessionId }), ...fields },
  }
}
