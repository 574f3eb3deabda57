import { builtInCallers, httpCallerId } from "../../domain/caller/caller-id.ts"
import { chooseLabelled } from "../../domain/delegation/choose-labelled.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { sessionOfCheckpoint } from "../pauses/tree-pause.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { isOfCaller } from "../rows/is-of-caller.ts"
import { unknownCheckpoint, unknownSession } from "../../domain/caller/missing-targets.ts"

/** Returns whether a target is meant as a checkpoint: session ids are shorter. */
const looksLikeCheckpoint = (target: string): boolean =>
  /^[\w-]{20,}$/.test(target) || /^(run|cp|chk|ckpt)[_-]/.test(target)

const isNotDeleted = (row: SessionRow | undefined): row is SessionRow => row !== undefined && row.deletedAt === null

type Finder = Pick<Store, "sessions" | "runs" | "pauses">

/** Who names a session. Without a caller: the user of this machine, who reaches every session. */
export interface TargetCaller {
  readonly caller?: string | undefined
  /** Whether the caller reaches sessions that it did not start, by id, run or key. */
  readonly reachesAll?: boolean
}

/** Returns whose labels a caller uses; null: those of the user of this machine. */
const labelOwner = (caller: string | undefined): string | null =>
  caller === httpCallerId(builtInCallers.local) || caller?.startsWith("cli:") === true ? null : (caller ?? null)

/** Returns the session that a label names: the open one of the caller's own, or else the only ended one. @throws AdjutantError `target_ambiguous` */
const findLabelled = async (store: Finder, label: string, caller: string | undefined): Promise<string | undefined> =>
  chooseLabelled(label, await store.sessions.labelled(label, labelOwner(caller)), Date.now())?.id

/** Returns the session that a target names. */
const findTarget = async (
  store: Finder,
  target: string,
  { caller, reachesAll = caller === undefined }: TargetCaller,
): Promise<string | undefined> => {
  const reaches = async (id: string): Promise<boolean> =>
    caller === undefined || reachesAll
      ? isNotDeleted(await store.sessions.get(id))
      : await isOfCaller(store, id, caller)
  if (await reaches(target)) return target
  const paused = await sessionOfCheckpoint(store, target)
  // Nobody can guess a checkpoint id, so that a caller who names one was given it.
  if (paused !== undefined && isNotDeleted(await store.sessions.get(paused))) return paused
  const ran = (await store.runs.get(target))?.sessionId
  if (ran !== undefined && (await reaches(ran))) return ran
  return (
    (await findLabelled(store, target, caller)) ??
    (await store.sessions.byKey(target, reachesAll ? undefined : caller))?.id
  )
}

/**
 * Returns the session of a target: a session id, a checkpoint id (or the id of a run that never paused), a label, or a session key, in this order.
 * Labels are a caller's own: neither those of others nor those of sub-agents match. A caller that does not reach everything finds only sessions of
 * trees that it started, except by a checkpoint id.
 * @throws AdjutantError `target_ambiguous`, `session_not_found`, or `checkpoint_not_found` for a target that looks like a checkpoint
 */
export const resolveTarget = async (
  context: Pick<SessionsContext, "store">,
  target: string,
  caller: TargetCaller = {},
): Promise<string> => {
  const found = await findTarget(context.store, target, caller)
  if (found !== undefined) return found
  throw looksLikeCheckpoint(target) ? unknownCheckpoint(target) : unknownSession(target.slice(0, 100))
}
