import { setTimeout as delay } from "node:timers/promises"
import type { StopReport } from "../../contracts/http/stop.ts"
import type { SessionRow } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { requireAdmin } from "../authority/require-authority.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireWorkerToCancel, startCancel } from "./cancel.ts"
import { pollDelaysMs } from "./poll-delays.ts"

const listOpenRuns = async ({ store }: SessionsContext): Promise<readonly SessionRow[]> =>
  (await store.sessions.listOpen()).filter(({ runId }) => runId !== null)

/** Sessions that start while others are being cancelled are found by the next pass. */
const maxPasses = 5
const requestsAtOnce = 10
/** A moment for a Temporal that did not answer. */
const retryMs = 500

const runKey = ({ id, runId }: SessionRow): string => `${id} ${runId}`

interface Failure {
  readonly row: SessionRow
  readonly error: unknown
}

/** Requests the cancellation of trees, several at once. Returns those that could not be reached: they do not keep the others from being cancelled. */
const cancelTrees = async (
  context: SessionsContext,
  rows: readonly SessionRow[],
  actor: Actor,
): Promise<readonly Failure[]> => {
  const failures: Failure[] = []
  const queue = rows.values()
  const work = async (): Promise<void> => {
    for (const row of queue)
      try {
        await startCancel(context, row, { actor, detail: { stop: "all" } })
      } catch (error) {
        failures.push({ row, error })
        context.logger.warn({ session_id: row.id, error }, "a session could not be cancelled")
      }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, work))
  return failures
}

/** Cancels what is open until a pass finds nothing new. A tree that could not be reached is tried again. Returns every run that was found. */
const cancelOpen = async (context: SessionsContext, actor: Actor): Promise<readonly SessionRow[]> => {
  const found = new Map<string, SessionRow>()
  const cancelled = new Set<string>()
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    const open = await listOpenRuns(context)
    const fresh = open.filter((row) => !cancelled.has(runKey(row)))
    if (fresh.length === 0) break
    for (const row of fresh) found.set(runKey(row), found.get(runKey(row)) ?? row)
    const freshIds = new Set(fresh.map(({ id }) => id))
    // A cancellation includes everything below that was open then: not what has started below a session of an earlier pass.
    const tops = fresh.filter(({ parentId }) => parentId === null || !freshIds.has(parentId))
    const failures = await cancelTrees(context, tops, actor)
    const unreached = new Set(failures.map(({ row }) => row.rootId))
    for (const row of fresh) if (!unreached.has(row.rootId)) cancelled.add(runKey(row))
    const [failure] = failures
    if (failure !== undefined && pass === maxPasses && cancelled.size === 0) throw failure.error
    if (failure !== undefined) await delay(retryMs)
  }
  return [...found.values()]
}

/** Waits until the runs have ended, or for `cancelWaitMs`. */
const settleAll = async (context: SessionsContext, rows: readonly SessionRow[]): Promise<void> => {
  const keys = new Set(rows.map(runKey))
  const until = Date.now() + context.timing.cancelWaitMs
  for (const waitMs of pollDelaysMs()) {
    const open = await listOpenRuns(context)
    if (!open.some((row) => keys.has(runKey(row))) || Date.now() >= until) return
    await delay(waitMs)
  }
}

const stopReport = async ({ store }: SessionsContext, rows: readonly SessionRow[]): Promise<StopReport> => {
  const items = await Promise.all(
    rows.map(async (row) => {
      const run = row.runId === null ? undefined : await store.runs.get(row.runId)
      return {
        session_id: row.id,
        root_session_id: row.rootId,
        parent_session_id: row.parentId,
        title: row.title,
        agent: row.agent,
        previous_status: row.status,
        status: run?.status ?? row.status,
      }
    }),
  )
  return { items, next_cursor: null }
}

/**
 * Cancels every open session of the store with everything below it, and waits briefly for the end. Returns the sessions that were open.
 * @throws AdjutantError `forbidden`, `temporal_unavailable`; `service_unavailable` if the cancellations are stored but no worker can be started
 */
export const stopAll = async (context: SessionsContext, actor: Actor): Promise<StopReport> => {
  requireAdmin(actor, "stopping every session")
  const open = await listOpenRuns(context)
  await context.store.audit.record({
    sessionId: "",
    runId: null,
    action: "stop-all",
    ...auditedActor(actor),
    detail: { sessions: open.length, roots: [...new Set(open.map(({ rootId }) => rootId))].slice(0, 1_000) },
  })
  const rows = await cancelOpen(context, actor)
  if (rows.length > 0) await requireWorkerToCancel(context)
  await settleAll(context, rows)
  return await stopReport(context, rows)
}
