import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { isOfCaller } from "./is-of-caller.ts"

/** Returns whether a target is meant as a checkpoint: session ids are shorter. */
const looksLikeCheckpoint = (target: string): boolean =>
  /^[\w-]{20,}$/.test(target) || /^(run|cp|chk|ckpt)[_-]/.test(target)

const exists = (row: SessionRow | undefined): row is SessionRow => row !== undefined && row.deletedAt === null

type Finder = Pick<Store, "sessions" | "runs" | "pauses">

/** Returns the session that a target names; with a caller, only one that belongs to it. */
const find = async (store: Finder, target: string, caller: string | undefined): Promise<string | undefined> => {
  const reaches = async (id: string): Promise<boolean> =>
    caller === undefined ? exists(await store.sessions.get(id)) : await isOfCaller(store, id, caller)
  if (await reaches(target)) return target
  const paused = (await store.pauses.byCheckpoint(target))?.sessionId
  // Nobody can guess a checkpoint id, so that a caller who names one was given it.
  if (paused !== undefined && exists(await store.sessions.get(paused))) return paused
  const ran = (await store.runs.get(target))?.sessionId
  if (ran !== undefined && (await reaches(ran))) return ran
  const labelled = await store.sessions.find(target, caller)
  return exists(labelled) ? labelled.id : undefined
}

/**
 * Returns the session of a target: a session id, a checkpoint id (or the id of a run that never paused), a label, or a session key, in this order.
 * With a caller, only sessions of trees that it started are found, except by a checkpoint id.
 * @throws AdjutantError `session_not_found`, or `checkpoint_not_found` for a target that looks like a checkpoint
 */
export const resolveTarget = async (
  context: Pick<SessionsContext, "store">,
  target: string,
  caller?: string,
): Promise<string> => {
  const found = await find(context.store, target, caller)
  if (found !== undefined) return found
  const shown = target.slice(0, 100)
  throw looksLikeCheckpoint(target)
    ? new AdjutantError(
        "checkpoint_not_found",
        `there is no checkpoint ${shown}: run "adjutant approvals" to see what is pending`,
      )
    : new AdjutantError("session_not_found", `there is no session ${shown}: run "adjutant list" to see the sessions`)
}
