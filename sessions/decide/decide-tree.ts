import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { PauseRow } from "../../store/store.ts"
import type { Sent } from "../send-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"
import { staleCheckpoint } from "../../domain/caller/missing-targets.ts"
import type { DecideRequest } from "../decide-request.ts"
import { loadPauseDecisions } from "../pauses/pause-decisions.ts"
import { nameInTree, type TreePause } from "../pauses/tree-pause.ts"

type Decisions = Readonly<Record<string, CallDecision>>

/**
 * Returns the named decisions by the pause that each is for: `<task_id>/<call id>`, or the id alone where only one of the tasks asks about such a call.
 * @throws AdjutantError `call_not_found`
 */
const decisionsByPause = (pauses: readonly PauseRow[], named: Decisions): ReadonlyMap<PauseRow, Decisions> => {
  const found = new Map<PauseRow, Record<string, CallDecision>>()
  for (const [name, decision] of Object.entries(named)) {
    const at = name.indexOf("/")
    const owners = pauses.filter(({ sessionId, calls }) =>
      at === -1 ? calls.some(({ id }) => id === name) : sessionId === name.slice(0, at),
    )
    const [owner] = owners
    if (owner === undefined || owners.length > 1) {
      const shown = pauses.flatMap((pause) => pause.calls.map(({ id }) => nameInTree(pause, id)))
      throw new AdjutantError(
        "call_not_found",
        `call ${name} is ${owner === undefined ? "not among those of this checkpoint" : "one of several tasks"}: name it as <task_id>/<call id>; calls: ${shown.join(", ") || "none"}`,
      )
    }
    found.set(owner, { ...found.get(owner), [name.slice(at + 1)]: decision })
  }
  return found
}

/** Returns the calls of a pause that is no longer open that nobody has decided: they are asked about again, or not at all. */
const undecidedOf = async ({ store }: SessionsContext, pause: PauseRow): Promise<readonly string[]> => {
  const { actions } = await loadPauseDecisions(store, pause)
  return pause.calls.flatMap(({ id }) => (actions.has(id) ? [] : [nameInTree(pause, id)]))
}

interface Outcome {
  readonly pause: PauseRow
  readonly sent?: Sent
  readonly undecided: readonly string[]
}

const decideOne = async (
  context: SessionsContext,
  request: DecideRequest,
  { pause, decide }: { readonly pause: PauseRow; readonly decide: Decide },
): Promise<Outcome> => {
  try {
    const sent = await decide(context, request)
    return { pause, sent, undecided: [] }
  } catch (error) {
    if (!isAdjutantError(error) || error.code !== "checkpoint_stale") throw error
    return { pause, undecided: await undecidedOf(context, pause) }
  }
}

type Decide = (context: SessionsContext, request: DecideRequest) => Promise<Sent>

/**
 * Decides what a checkpoint of a tree showed, each call under the checkpoint of its own pause. What is not named stays pending, and so does a call whose
 * pause has changed since: `undecided` names it.
 * @throws AdjutantError those of `decide`; `checkpoint_stale` if none of its calls is pending any more
 */
export const decideTree = async (
  context: SessionsContext,
  request: DecideRequest,
  { tree, decide }: { readonly tree: TreePause; readonly decide: Decide },
): Promise<Sent> => {
  const { all, decisions = {}, checkpointId = "" } = request
  const row = await requireSession(context.store, tree.sessionId)
  const asking = tree.pauses.filter(({ type }) => type !== "input_required")
  const named = decisionsByPause(asking, decisions)
  const outcomes: Outcome[] = []
  for (const pause of asking) {
    const own = named.get(pause)
    if (own === undefined && all === undefined) continue
    const { runId: _, ...rest } = request
    const single: DecideRequest = {
      ...rest,
      ...{ sessionId: pause.sessionId, checkpointId: pause.checkpointId, decisions: own ?? {}, unlisted: "pending" },
    }
    outcomes.push(await decideOne(context, single, { pause, decide }))
  }
  const sent = outcomes.flatMap((outcome) => outcome.sent ?? [])
  const undecided = outcomes.flatMap((outcome) => outcome.undecided)
  if (sent.length === 0 && (undecided.length > 0 || asking.length === 0)) throw staleCheckpoint(checkpointId, row.id)
  const left = outcomes.flatMap(({ pause, sent: one }) =>
    (one?.protectedPending ?? []).map((id) => nameInTree(pause, id)),
  )
  const counted = sent.flatMap((one) => one.counted ?? [])
  return {
    state: sent.every(({ state }) => state === "applied") ? "applied" : "accepted",
    runId: row.runId ?? "",
    ...(left.length === 0 ? {} : { protectedPending: left }),
    ...(counted.length === 0 ? {} : { counted }),
    ...(undecided.length === 0 ? {} : { undecided }),
  }
}
