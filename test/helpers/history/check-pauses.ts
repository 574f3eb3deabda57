import { isFinal } from "../../../domain/run/is-final.ts"
import type { SessionHistory } from "./history.ts"

interface Decided {
  readonly checkpointId: string
  readonly callId: string
  readonly action: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Returns the decisions that took effect, each once per call. */
export const decisionsOf = ({ events }: SessionHistory): readonly Decided[] =>
  events
    .filter(({ type }) => type === "decision-recorded")
    .flatMap(({ checkpoint_id, decisions }) =>
      isObject(decisions)
        ? Object.entries(decisions).map(([callId, action]) => ({
            checkpointId: String(checkpoint_id),
            callId,
            action: isObject(action) ? String(action["action"]) : String(action),
          }))
        : [],
    )

const callsIn = (reason: unknown): readonly string[] => {
  const calls = isObject(reason) ? reason["pending_tool_calls"] : undefined
  return Array.isArray(calls) ? calls.flatMap((call: unknown) => (isObject(call) ? [String(call["id"])] : [])) : []
}

/** Checks that every pause has an opening, a decision on each call, and an end. A run that ended, or was steered, needs no decision. */
export const checkPauses = (session: SessionHistory): readonly string[] => {
  const opened = session.events.filter(({ type }) => type === "run-paused")
  const rows = new Map(session.pauses.map((pause) => [pause.checkpointId, pause]))
  const statusOf = new Map(session.runs.map(({ runId, status }) => [runId, status]))
  const reset = new Set(session.runs.flatMap(({ runId, reopened }) => (reopened > 0 ? [runId] : [])))
  const decided = decisionsOf(session)
  const problems: string[] = []
  for (const { checkpointId, runId, isClosed } of session.pauses) {
    const openings = opened.filter((event) => event["checkpoint_id"] === checkpointId)
    if (openings.length !== 1) problems.push(`pause ${checkpointId} has ${openings.length} openings`)
    const status = statusOf.get(runId)
    if (!isClosed && status !== undefined && isFinal(status))
      problems.push(`pause ${checkpointId} is open, and its run ${status}`)
  }
  if (session.pauses.filter(({ isClosed }) => !isClosed).length > 1) problems.push("more than one pause is open")
  for (const event of opened) {
    const checkpointId = String(event["checkpoint_id"])
    const row = rows.get(checkpointId)
    if (row === undefined) problems.push(`pause ${checkpointId} has no row`)
    // A run that was reset reads its steering again, which its log contains once.
    const isSteered = session.events.some(
      ({ type, id, run_id }) =>
        type === "steering-applied" && run_id === event.run_id && (id > event.id || reset.has(run_id)),
    )
    const isOver = row?.isClosed === true && statusOf.get(event.run_id) === "completed" && !isSteered
    if (!isOver) continue
    for (const callId of callsIn(event["pause_reason"]))
      if (!decided.some((one) => one.checkpointId === checkpointId && one.callId === callId))
        problems.push(`nobody decided ${callId} of pause ${checkpointId}`)
  }
  return problems
}
