import type { LogEntry } from "@temporalio/worker"
import { sessionIdOf } from "../../domain/engine/engine-names.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { createRetryReader } from "./engine-retries.ts"

/** An entry of the engine as our log has it. `engine` contains what only log collectors need. */
export interface ReadableEntry {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Whether people need not read it: it is expected, or says again what was shown shortly before. */
  readonly isDetail?: boolean
}

/** What the activities that call something outside Adjutant do, for people. */
const actions: Readonly<Record<string, string>> = {
  callModel: "the model call",
  runTool: "the tool call",
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

/** A warning about the worker of a machine's queue, to which only activities come. */
const expected = "No workflows registered"

/** Executions whose failed calls are remembered. */
const mostExecutions = 1_000

interface FailedCall {
  readonly action: string
  readonly reason: string
}

/**
 * Returns a function that reads the entries of the engine in their order, so that each message is one line that a person understands. A call that
 * ends its run comes twice, as the activity's failure and then as the workflow's: the line of the run then refers to that of the call.
 */
export const createEntryReader = (): ((entry: Pick<LogEntry, "message" | "meta">) => ReadableEntry) => {
  /** The last failed call of each execution. */
  const calls = new Map<unknown, FailedCall>()
  const remember = (execution: unknown, call: FailedCall): void => {
    const [oldest] = calls.keys()
    if (calls.size === mostExecutions) calls.delete(oldest)
    calls.set(execution, call)
  }
  /** Returns the call whose line has given the reason of a failure. */
  const toldBy = (message: string, meta: Readonly<Record<string, unknown>>, reason: string): FailedCall | undefined => {
    const execution = meta["workflowRunId"] ?? meta["runId"]
    const call = calls.get(execution)
    calls.delete(execution)
    if (message === "Activity failed") remember(execution, { action: actionOf(meta["activityType"]), reason })
    else if (reason !== "" && call?.reason.includes(reason) === true) return call
    return undefined
  }
  const readRetry = createRetryReader()
  return ({ message, meta }) => {
    const { error, ...rest } = isRecord(meta) ? meta : {}
    const reason = error === undefined ? "" : reasonOf(error)
    const because = reason === "" ? "" : `: ${reason}`
    const fields = { ...(error === undefined ? {} : { err: error }), engine: rest }
    const retry = readRetry(message, reason)
    if (retry !== undefined)
      return { message: retry.message, fields: { engine: { ...rest, reason } }, isDetail: retry.isKnown }
    if (message.startsWith(expected)) return { message: `Temporal: ${message}`, fields, isDetail: true }
    const workflowId = String(rest["workflowId"])
    const sessionId = sessionIdOf(workflowId)
    const failure = failureOf(message, rest, sessionId !== undefined)
    if (failure === undefined) return { message: `Temporal: ${message}${because}`, fields }
    const call = toldBy(message, rest, reason)
    const end = call === undefined ? because : `, because ${call.action} failed as reported above`
    return {
      message: `${sessionId === undefined ? workflowId : `task ${sessionId}`}: ${failure}${end}`,
      fields: {
        ...(sessionId === undefined ? {} : { session_id: sessionId }),
        ...(call === undefined ? fields : { engine: { ...rest, reason } }),
      },
    }
  }
}
