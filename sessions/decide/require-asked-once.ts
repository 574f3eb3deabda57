import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { PauseRow, Store } from "../../store/store.ts"
import type { DecideRequest, SeenPause } from "../decide-request.ts"
import { decisionIdOf } from "./decision-id.ts"
import { decidedElsewhere, sentDecisions } from "../pauses/pause-decisions.ts"

/**
 * Refuses a decision over HTTP on all calls that names no checkpoint and was made on an earlier pause: programs and proxies send a request again that
 * had no answer, and its author has not seen the open pause.
 *
 * @throws AdjutantError `checkpoint_stale`
 */
export const requireNotRepeated = async (
  store: Pick<Store, "audit">,
  request: DecideRequest,
  { sessionId, checkpointId: open }: PauseRow,
): Promise<void> => {
  const { checkpointId, seenAtMs, all, runId, actor } = request
  if (actor.via !== "http" || checkpointId !== undefined || seenAtMs !== undefined || all === undefined) return
  const before = (await sentDecisions(store, sessionId))
    .filter((row) => runId === undefined || row.runId === runId)
    .map(({ detail }) => ({ id: detail["decision_id"], on: String(detail["checkpoint_id"]) }))
    .find(({ id, on }) => on !== open && id === decisionIdOf(on, request))
  if (before === undefined) return
  throw new AdjutantError(
    "checkpoint_stale",
    `the same decision was made on ${before.on} already, and the current pause opened since: look at it, and name its checkpoint ${open}`,
  )
}

/**
 * Refuses decisions about calls that the pause asks about again, unless they name its checkpoint: a repeated request would approve what its author has
 * not seen, such as a file that changed after the first decision.
 *
 * @throws AdjutantError `checkpoint_stale`
 */
export const requireAskedOnce = async (
  store: Pick<Store, "events" | "audit">,
  { checkpointId, decisions = {} }: SeenPause & { readonly decisions?: Readonly<Record<string, unknown>> },
  pause: PauseRow,
): Promise<void> => {
  const named = pause.calls.filter(({ id }) => Object.hasOwn(decisions, id))
  if (checkpointId !== undefined || named.length === 0) return
  // A question of another call can have been answered in between, on a pause of its own.
  const decided = await decidedElsewhere(store, pause)
  const again = named.find(({ id }) => decided.has(id))
  if (again === undefined) return
  throw new AdjutantError(
    "checkpoint_stale",
    `call ${again.id} is asked about again since it was decided: look at it, and name its checkpoint ${pause.checkpointId}`,
  )
}
