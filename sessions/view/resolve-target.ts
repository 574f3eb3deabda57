import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** Returns whether a target is meant as a checkpoint: session ids are shorter. */
const looksLikeCheckpoint = (target: string): boolean =>
  /^[\w-]{20,}$/.test(target) || /^(run|cp|chk|ckpt)[_-]/.test(target)

const exists = (row: SessionRow | undefined): row is SessionRow => row !== undefined && row.deletedAt === null

const ownerOf = async (
  store: Pick<Store, "sessions" | "runs" | "pauses">,
  target: string,
): Promise<string | undefined> => {
  const owner =
    (await store.pauses.byCheckpoint(target))?.sessionId ?? (await store.runs.get(target))?.sessionId ?? undefined
  if (owner === undefined) return undefined
  return exists(await store.sessions.get(owner)) ? owner : undefined
}

/**
 * Returns the session of a target: a session id, a checkpoint id (or the id of a run that never paused), or a label, in this order.
 * @throws AdjutantError `session_not_found`, or `checkpoint_not_found` for a target that looks like a checkpoint
 */
export const resolveTarget = async (context: SessionsContext, target: string): Promise<string> => {
  const { store } = context
  if (exists(await store.sessions.get(target))) return target
  const owner = await ownerOf(store, target)
  if (owner !== undefined) return owner
  const labelled = await store.sessions.find(target)
  if (exists(labelled)) return labelled.id
  const shown = target.slice(0, 100)
  throw looksLikeCheckpoint(target)
    ? new AdjutantError(
        "checkpoint_not_found",
        `there is no checkpoint ${shown}: run "adjutant approvals" to see what is pending`,
      )
    : new AdjutantError("session_not_found", `there is no session ${shown}: run "adjutant list" to see the sessions`)
}
