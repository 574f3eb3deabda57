import type { LogEntry } from "@temporalio/worker"
import { sessionIdOf } from "../domain/engine/engine-names.ts"
import { isRecord } from "../domain/text/is-record.ts"
import { errorMessage } from "../domain/text/error-message.ts"

/** An entry of the engine as our log has it. `engine` contains what only log collectors need. */
export interface ReadableEntry {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** An earlier entry has given the reason of this failure: a person needs one line for it. */
  readonly isRepetition?: true
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

const failureOf = (
  message: string,
  meta: Readonly<Record<string, unknown>>,
  isSession: boolean,
): string | undefined => {
  const attempt = Number(meta["attempt"] ?? 1)
  if (message === "Activity failed")
    return `${actionOf(meta["activityType"])} failed${attempt > 1 ? ` at attempt ${attempt}` : ""}`
  if (message !== "Workflow failed") return undefined
  return isSession ? "the run failed" : "the workflow failed"
}

/** Executions whose reasons are remembered. */
const mostExecutions = 1_000

/**
 * Returns a function that reads the entries of the engine in their order, so that each message is one line that a person understands. The failure of an
 * activity that ends its run comes twice: as the activity's, and then as the workflow's.
 */
export const createEntryReader = (): ((entry: Pick<LogEntry, "message" | "meta">) => ReadableEntry) => {
  /** The last reason that an activity of each execution gave. */
  const reasons = new Map<unknown, string>()
  const isRepeated = (message: string, execution: unknown, reason: string): boolean => {
    const given = reasons.get(execution)
    reasons.delete(execution)
    if (message === "Workflow failed") return reason !== "" && given?.includes(reason) === true
    const [oldest] = reasons.keys()
    if (reasons.size === mostExecutions) reasons.delete(oldest)
    reasons.set(execution, reason)
    return false
  }
  return ({ message, meta }) => {
    const { error, ...rest } = isRecord(meta) ? meta : {}
    const reason = error === undefined ? "" : reasonOf(error)
    const because = reason === "" ? "" : `: ${reason}`
    const fields = { ...(error === undefined ? {} : { err: error }), engine: rest }
    const workflowId = String(rest["workflowId"])
    const sessionId = sessionIdOf(workflowId)
    const failure = failureOf(message, rest, sessionId !== undefined)
    if (failure === undefined) return { message: `Temporal: ${message}${because}`, fields }
    return {
      message: `${sessionId === undefined ? workflowId : `task ${sessionId}`}: ${failure}${because}`,
      fields: { ...(sessionId === undefined ? {} : { session_id: sessionId }), ...fields },
      ...(isRepeated(message, rest["workflowRunId"] ?? rest["runId"], reason) ? { isRepetition: true } : {}),
    }
  }
}
