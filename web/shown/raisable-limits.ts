import type { Session } from "../../contracts/session/session.ts"
import { limitAdvice } from "../../domain/advice/limit-advice.ts"

/** A limit that ended a run, as a message raises it. */
export interface RaisableLimit {
  readonly field: "max_steps" | "budget_usd" | "budget_tokens" | "timeout_seconds"
  readonly label: string
  readonly limit: number
  /** What the field offers first. */
  readonly offered: number
  readonly step: number | "any"
}

/** What continues a session whose run a limit or a failure has ended. */
export const continueText = "Continue where you stopped."

const labels: Readonly<Record<RaisableLimit["field"], string>> = {
  max_steps: "Steps",
  budget_usd: "Budget in USD",
  budget_tokens: "Budget in tokens",
  timeout_seconds: "Time in seconds",
}

const fieldsOf: Partial<Readonly<Record<NonNullable<Session["stop_reason"]>, readonly RaisableLimit["field"][]>>> = {
  max_steps: ["max_steps"],
  budget: ["budget_usd", "budget_tokens"],
  timeout: ["timeout_seconds"],
}

const rounded = (value: number): number => Number(value.toPrecision(6))

/** Returns the limits that ended a session's last run and that a message can raise; none if another limit ended it, or none of its own. */
export const raisableLimits = ({
  limits,
  stop_reason: reason,
  error,
}: Pick<Session, "limits" | "stop_reason" | "error">): readonly RaisableLimit[] => {
  if (limits === null || reason === null || limitAdvice({ stopReason: reason, error }, { kind: "http" }) === undefined)
    return []
  return (fieldsOf[reason] ?? []).flatMap((field) => {
    const { limit } = limits[field]
    const step = field === "budget_usd" ? ("any" as const) : 1
    return limit === null ? [] : [{ field, label: labels[field], limit, offered: rounded(limit * 2), step }]
  })
}

/** What one button gives a run that used up its steps. */
export const moreSteps = 50

/** Returns whether a caller can continue a run that used up its steps with these: each run counts its own, so that no more than before raise nothing. */
export const mayHaveMoreSteps = (limits: readonly RaisableLimit[], mayApprove: boolean): boolean =>
  limits.some(({ field, limit }) => field === "max_steps" && (mayApprove || moreSteps <= limit))
