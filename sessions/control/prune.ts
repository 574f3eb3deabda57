import type { Retention } from "../../contracts/config/retention.ts"
import { deliveryWorkflowId, sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { dayMs } from "../../domain/text/duration.ts"
import { callEngine } from "../../engine/call-engine.ts"
import { type DeleteClient, deleteExecutions } from "../../engine/delete-executions.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { requireAdmin } from "../authority/require-authority.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { Store } from "../../store/store.ts"

/** What pruning works with. `request` sends one request to the engine. */
export interface PruneContext {
  readonly store: Pick<Store, "sessions" | "deliveries" | "shrink">
  readonly temporal: DeleteClient
  readonly request: <T>(call: () => Promise<T>) => Promise<T>
  /** Called after each batch, with what has been erased so far. Throws where the work is to end. */
  readonly onProgress?: (erased: Pruned) => void
}

export interface Pruning {
  /** Tasks that ended before this time are erased. */
  readonly beforeMs: number
  readonly keepLabels: readonly string[]
  /** Finds the tasks, and erases nothing. */
  readonly dryRun?: boolean
  /** Erases at most about this many tasks. */
  readonly atMost?: number
}

export interface Pruned {
  /** Trees: tasks with all their sub-agents. */
  readonly tasks: number
  readonly sessions: number
  /** Of a dry run: the first tasks. */
  readonly ids: readonly string[]
}

/** How many trees are looked for at a time, and how many sessions one transaction erases. So each transaction takes milliseconds. */
const treesPerBatch = 25
const sessionsPerWrite = 25
const mostShownTasks = 100

const chunks = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / sessionsPerWrite) }, (_, index) =>
    ids.slice(index * sessionsPerWrite, (index + 1) * sessionsPerWrite),
  )

/** Waits as long as the last batch took, so that others can write for half of the time. */
const giveWay = (startedAt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(1_000, performance.now() - startedAt)))

/** Deletes the executions of a session and of its deliveries from the engine. */
export const deleteOfSession = async (
  {
    store,
    temporal,
    request,
  }: Pick<PruneContext, "temporal" | "request"> & { readonly store: Pick<Store, "deliveries"> },
  sessionId: string,
): Promise<void> => {
  const deliveries = await store.deliveries.list({ sessionId, limit: 1_000 })
  for (const { key } of deliveries) await deleteExecutions(temporal, deliveryWorkflowId(key), request)
  await deleteExecutions(temporal, sessionWorkflowId(sessionId), request)
}

/**
 * Erases trees: first their executions in Temporal, then their rows. After an interruption, the rows are marked as deleted, and the reconciler erases the
 * rest.
 */
const eraseAll = async (context: PruneContext, ids: readonly string[]): Promise<void> => {
  for (const chunk of chunks(ids)) {
    for (const id of chunk) await deleteOfSession(context, id)
    const startedAt = performance.now()
    await context.store.sessions.erase(...chunk)
    await giveWay(startedAt)
  }
}

/** Erases tasks that ended before a time, with their sub-agents, in batches that let others write in between. Usage and the audit remain. */
export const pruneTasks = async (
  context: PruneContext,
  { dryRun = false, atMost = Number.POSITIVE_INFINITY, ...expiry }: Pruning,
): Promise<Pruned> => {
  const { store, onProgress } = context
  let pruned: Pruned = { tasks: 0, sessions: 0, ids: [] }
  for (let after = 0; pruned.tasks < atMost;) {
    const trees = await store.sessions.listExpired(expiry, { after, limit: treesPerBatch })
    const last = trees.at(-1)
    if (last === undefined) break
    after = last.num
    const roots = trees.map(({ id }) => id)
    const ids = dryRun ? [] : await store.sessions.expire(roots, expiry)
    await eraseAll(context, ids)
    const sessions = dryRun ? trees.reduce((sum, tree) => sum + tree.sessions, 0) : ids.length
    const tasks = dryRun ? trees.length : roots.filter((id) => ids.includes(id)).length
    const listed = dryRun ? [...pruned.ids, ...roots].slice(0, mostShownTasks) : []
    pruned = { tasks: pruned.tasks + tasks, sessions: pruned.sessions + sessions, ids: listed }
    onProgress?.(pruned)
  }
  if (pruned.tasks > 0 && !dryRun) await store.shrink()
  return pruned
}

/** Erases the events of sessions that ended before a time, in batches. Their transcripts remain. */
const pruneEvents = async ({ store, onProgress }: PruneContext, beforeMs: number, pruned: Pruned): Promise<void> => {
  for (let isDone = false; !isDone;) {
    const startedAt = performance.now()
    isDone = (await store.sessions.eraseEvents(beforeMs, sessionsPerWrite)) < sessionsPerWrite
    onProgress?.(pruned)
    if (!isDone) await giveWay(startedAt)
  }
}

/** How many tasks one pass of the reconciler erases; the next one continues. */
const mostPerPass = 2_000

/** Erases what the retention of the configuration no longer keeps. Returns the tasks that were erased. */
export const applyRetention = async (
  context: PruneContext,
  { days, eventsDays, keepLabels }: Retention,
  { nowMs, dryRun }: { readonly nowMs: number; readonly dryRun: boolean },
): Promise<Pruned> => {
  const nothing: Pruned = { tasks: 0, sessions: 0, ids: [] }
  const pruned =
    days === undefined
      ? nothing
      : await pruneTasks(context, { beforeMs: nowMs - days * dayMs, keepLabels, dryRun, atMost: mostPerPass })
  if (eventsDays !== undefined && !dryRun) await pruneEvents(context, nowMs - eventsDays * dayMs, pruned)
  return pruned
}

/** Erases tasks that ended before a time, because a person says so. @throws AdjutantError `forbidden`, `engine_mismatch`, `temporal_unavailable` */
export const pruneByHand = async (
  context: SessionsContext,
  pruning: Omit<Pruning, "keepLabels">,
  actor: Actor,
): Promise<Pruned> => {
  requireAdmin(actor, "erasing tasks by their age")
  await context.engine.verify()
  const { store, temporal, loaded } = context
  const { keepLabels } = loaded.config.retention
  const request = <T>(call: () => Promise<T>): Promise<T> => callEngine(context, call)
  const pruned = await pruneTasks({ store, temporal, request }, { ...pruning, keepLabels })
  const detail = { before: new Date(pruning.beforeMs).toISOString(), tasks: pruned.tasks, sessions: pruned.sessions }
  if (pruned.tasks > 0 && pruning.dryRun !== true)
    await store.audit.record({ sessionId: "", runId: null, action: "prune", ...auditedActor(actor), detail })
  return pruned
}
