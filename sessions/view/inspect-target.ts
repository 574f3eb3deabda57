import type { Target } from "../../contracts/http/targets.ts"
import { recordedDecisions } from "../pauses/pause-decisions.ts"
import { findTreePause, type TreePause } from "../pauses/tree-pause.ts"
import type { PauseRow, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { resolveTarget, type TargetCaller } from "./resolve-target.ts"

const targetCheckpoint = async (store: Pick<Store, "events">, pause: PauseRow): Promise<Target["checkpoint"]> => ({
  id: pause.checkpointId,
  is_open: pause.closedAt === null,
  decisions: Object.fromEntries(await recordedDecisions(store, pause)),
})

/** Several sessions decided under it, each under its own checkpoint. */
const treeCheckpoint = (id: string, tree: TreePause | undefined): Target["checkpoint"] =>
  tree === undefined ? null : { id, is_open: tree.pauses.some(({ closedAt }) => closedAt === null), decisions: {} }

/**
 * Returns the session that a target names, and how the target names it: as a session, a run or a checkpoint.
 * @throws AdjutantError `target_ambiguous`, `session_not_found`, `checkpoint_not_found`
 */
export const inspectTarget = async (
  context: Pick<SessionsContext, "store">,
  target: string,
  caller: TargetCaller = {},
): Promise<Target> => {
  const { store } = context
  const sessionId = await resolveTarget(context, target, caller)
  const pause = target === sessionId ? undefined : await store.pauses.byCheckpoint(target)
  const tree = pause === undefined ? await findTreePause(store, target) : undefined
  const isRun =
    target !== sessionId && pause === undefined && tree === undefined && (await store.runs.get(target)) !== undefined
  return {
    session_id: sessionId,
    run_id: isRun ? target : null,
    checkpoint: pause === undefined ? treeCheckpoint(target, tree) : await targetCheckpoint(store, pause),
    last_event_id: await store.events.lastId(sessionId),
  }
}
