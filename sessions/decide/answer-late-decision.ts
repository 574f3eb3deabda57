import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { PauseRow, SessionRow } from "../../store/store.ts"
import type { DecideRequest } from "../decide-request.ts"
import type { Sent } from "../send-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { loadPauseDecisions, type PauseDecisions } from "../pauses/pause-decisions.ts"
import { decisionIdOf } from "./decision-id.ts"
import { alreadyDecidedText } from "../../domain/calls/apply-decision.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { openPausesOf } from "../pauses/open-pauses.ts"
import { treeCheckpointOf } from "../pauses/tree-pause.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import { staleCheckpoint } from "../../domain/caller/missing-targets.ts"

const participles: Readonly<Record<CallDecision["action"], string>> = {
  accept: "approved",
  edit: "approved with other arguments",
  reject: "rejected",
  custom_result: "answered with a result",
}

/** Returns the refusal of a decision that contradicts an earlier one: what was decided, when and by whom. */
export const alreadyDecided = (id: string, { actions, deciders }: PauseDecisions): AdjutantError => {
  const before = actions.get(id)
  const decider = deciders.get(id)
  if (before === undefined || decider === undefined)
    return new AdjutantError("already_decided", alreadyDecidedText(id, before ?? "unknown"))
  return new AdjutantError(
    "already_decided",
    `call ${id} was already ${participles[before]} at ${decider.at} by ${decider.by}`,
  )
}

const searchedRows = 500

/** Returns the first of the calls that this session never proposed. */
const unknownCall = async (
  { store }: SessionsContext,
  { id: sessionId, headSeq }: SessionRow,
  ids: readonly string[],
): Promise<string | undefined> => {
  const rows = await store.messages.read(sessionId, { fromSeq: Math.max(1, headSeq - searchedRows), headSeq })
  const proposed = new Set(rows.flatMap(({ message }) => toolCallsOf(message).map(({ id }) => id)))
  return ids.find((id) => !proposed.has(id))
}

/** Answers a decision on a past pause: a repetition as before, a contrary decision with a conflict, any other as too late. */
export const answerLateDecision = async (
  context: SessionsContext,
  request: DecideRequest,
  open: { readonly row: SessionRow; readonly pause: PauseRow | undefined },
): Promise<Sent> => {
  const { row, pause } = open
  if (pause !== undefined && pause.sessionId === row.id) {
    const known = await loadPauseDecisions(context.store, pause)
    const { actions, decisionIds } = known
    const named = Object.entries(request.decisions ?? {})
    const isKnown = decisionIds.has(decisionIdOf(pause.checkpointId, request))
    const contrary = named.find(
      ([id, { action }]) => actions.has(id) && (actions.get(id) !== action || (action === "edit" && !isKnown)),
    )
    if (contrary !== undefined) throw alreadyDecided(contrary[0], known)
    const repeated = request.all === undefined && named.length > 0 && named.every(([id]) => actions.has(id))
    if (repeated || isKnown) return { state: "applied", runId: pause.runId }
  }
  const unknown =
    request.checkpointId === undefined
      ? await unknownCall(context, row, Object.keys(request.decisions ?? {}))
      : undefined
  if (unknown !== undefined)
    throw new AdjutantError(
      "call_not_found",
      `session ${row.id} has no call ${unknown}; calls of sessions below it are decided at their own session_id`,
    )
  const { store } = context
  const below = request.checkpointId === undefined ? await openPausesOf(store, await descendantsOf(store, row)) : []
  if (below.length > 0)
    throw new AdjutantError(
      "session_not_paused",
      `no call of session ${row.id} itself is waiting for a decision: decide for ${[...new Set(below.map(({ sessionId }) => sessionId))].join(", ")}, or name checkpoint ${treeCheckpointOf(row.id, below)} for everything that is pending`,
    )
  throw request.checkpointId === undefined
    ? new AdjutantError("session_not_paused", `no call of session ${row.id} is waiting for a decision`, {
        reason: { about: "state", task_id: row.id },
      })
    : staleCheckpoint(request.checkpointId, row.id)
}
