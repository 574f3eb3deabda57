import type { StopReason } from "../../../contracts/status.ts"
import { isFinal } from "../../run/is-final.ts"
import { isRecord } from "../../text/is-record.ts"
import { dataNote } from "../../text/foreign/fence-data.ts"
import { boundResult, boundTexts } from "./bound-text.ts"
import type { TaskFacts } from "./task-details.ts"
import type { ToolUse } from "./tool-use.ts"
import type { ToolAnswer } from "../tool-answer.ts"

export type TaskErrorCode = "INVALID_PARAM" | "INTERNAL_ERROR"

/** The outcome of the child of a `Task` call. */
export interface TaskEnvelopeFacts
  extends Pick<TaskFacts, "status" | "stopReason" | "error">, Pick<ToolUse, "toolCounts"> {
  /** Final text, or the partial text of a run that did not complete. */
  readonly finalMessage: string | null
  readonly sessionId: string
  readonly modelName: "main" | "light"
  readonly subagentType: string
  readonly timeMs: number
  readonly cwd: string
  readonly paramsInput: unknown
}

const isLimit = (reason: StopReason | null): boolean =>
  reason === "max_steps" || reason === "budget" || reason === "timeout"

const envelopeStatus = (facts: TaskEnvelopeFacts): "success" | "partial" | "error" => {
  if (facts.status === "completed") return "success"
  if (!isFinal(facts.status)) return "partial"
  return isLimit(facts.stopReason) && (facts.finalMessage ?? "").trim() !== "" ? "partial" : "error"
}

const endingText = (facts: TaskEnvelopeFacts): string => {
  if (facts.status === "completed") return "completed"
  if (facts.status === "paused") return "is paused: it waits for a person"
  if (!isFinal(facts.status)) return "is still running"
  return facts.stopReason === null ? `ended: ${facts.status}` : `ended early: ${facts.stopReason}`
}

/**
 * Returns the answer of a `Task` call whose child ran. Its data contain the answer once, and `text` is their headline.
 * @param advice what the caller can do next, for a child that has not ended
 */
export const taskEnvelope = (facts: TaskEnvelopeFacts, advice?: string): ToolAnswer => {
  const status = envelopeStatus(facts)
  const result = boundResult(facts.finalMessage ?? "")
  const toolSummary = Object.entries(facts.toolCounts).map(([tool, count]) => ({ tool, count }))
  const message = facts.error?.message ?? `the sub-agent ${endingText(facts)}`
  const body = status === "error" ? [message, result].filter((text) => text !== "").join("\n\n") : result
  const headline = `Subagent (${facts.subagentType}, ${facts.modelName}) ${endingText(facts)}.`
  const next = [advice, result === "" ? undefined : dataNote].filter((text) => text !== undefined)
  return {
    text: [headline, advice, body].filter((text) => text !== undefined && text !== "").join("\n\n"),
    structured: {
      status,
      data: {
        // One that has not begun is as much at work as one that has.
        status: facts.status === "pending" ? "running" : facts.status,
        result,
        tool_summary: toolSummary,
        model_used: facts.modelName,
        subagent_type: facts.subagentType,
        session_id: facts.sessionId,
      },
      text: headline,
      stats: {
        time_ms: Math.max(0, Math.round(facts.timeMs)),
        tool_calls: toolSummary.reduce((sum, { count }) => sum + count, 0),
        model: facts.modelName,
      },
      context: { cwd: facts.cwd, params_input: boundTexts(facts.paramsInput) },
      ...(status === "error" ? { error: { code: "INTERNAL_ERROR" satisfies TaskErrorCode, message } } : {}),
      ...(next.length === 0 ? {} : { next: next.join(" ") }),
    },
    isError: status === "error",
    // A result that is collected later is still announced if nobody collects it.
    ...(isFinal(facts.status) ? { reported: [facts.sessionId] } : {}),
  }
}

/** A `Task` call whose child never ran. */
export interface TaskRefusal extends Pick<TaskEnvelopeFacts, "cwd" | "paramsInput"> {
  readonly code: TaskErrorCode
  readonly message: string
}

const field = (input: unknown, name: string): string | null => {
  const value = isRecord(input) ? input[name] : undefined
  return typeof value === "string" ? value.slice(0, 100) : null
}

/** Returns the envelope as one text: the answer that an agent gets inside a run. */
export const envelopeText = ({ structured }: ToolAnswer): string => JSON.stringify(structured)

export const taskRefusal = ({ code, message, cwd, paramsInput }: TaskRefusal): ToolAnswer => {
  const text = `${code}: ${message}`
  return {
    text,
    structured: {
      status: "error",
      data: {
        status: "failed",
        result: "",
        tool_summary: [],
        model_used: null,
        subagent_type: field(paramsInput, "subagent_type"),
        session_id: null,
      },
      text,
      stats: { time_ms: 0, tool_calls: 0, model: null },
      context: { cwd, params_input: boundTexts(paramsInput) },
      error: { code, message },
    },
    isError: true,
  }
}
