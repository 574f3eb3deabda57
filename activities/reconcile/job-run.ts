import { activityInfo, asyncLocalStorage, cancellationSignal, heartbeat } from "@temporalio/activity"
import { randomUUID } from "node:crypto"
import type { Logger } from "pino"
import { isOutage } from "../../domain/engine/outage-policy.ts"
import type { PlannedAction, ReconcileJob } from "../../domain/engine/reconcile-pass.ts"
import { isEngineMismatch } from "../../engine/engine-guard.ts"
import type { SessionPage, Store } from "../../store/store.ts"

/** One run of one job of the reconciler. */
export interface JobRun {
  readonly job: ReconcileJob
  /** Writes nothing. */
  readonly dryRun: boolean
  /** How many rows are checked together. */
  readonly pageSize: number
  /** The same for all attempts of one pass. */
  readonly passId: string
  readonly logger: Pick<Logger, "warn">
  /** Adds to the list of a dry run. */
  readonly plan: (action: Omit<PlannedAction, "job">) => void
}

const isActivity = (): boolean => asyncLocalStorage.getStore() !== undefined

/** Returns whether the engine cancelled the pass: the worker stops, or the pass took too long. */
export const isCancelled = (): boolean => isActivity() && cancellationSignal().aborted

/** The rows of one page, unless a caller has another number. */
export const pageSize = 500

/** Returns a job run for use outside of a pass. */
export const quietRun = (job: ReconcileJob): JobRun => ({
  job,
  dryRun: false,
  pageSize,
  passId: "",
  logger: { warn: () => undefined },
  plan: () => undefined,
})

/** Returns what distinguishes this pass from earlier and later ones. */
export const currentPassId = (): string => {
  if (!isActivity()) return randomUUID()
  const { workflowExecution, activityId } = activityInfo()
  return `${workflowExecution?.runId ?? ""}/${activityId}`
}

/** Reports progress to the engine. Throws where the pass was cancelled. */
export const reportProgress = (run: JobRun, position: string): void => {
  if (!isActivity()) return
  heartbeat({ job: run.job, position })
  cancellationSignal().throwIfAborted()
}

/** Runs the work for one row. Returns undefined if it failed: the other rows are not affected. */
export const tryRow = async <T>(run: JobRun, id: string, work: () => Promise<T>): Promise<T | undefined> => {
  reportProgress(run, id)
  try {
    return await work()
  } catch (error) {
    // Neither is about this row alone.
    if (isCancelled() || isEngineMismatch(error) || isOutage(error)) throw error
    run.logger.warn({ err: error, job: run.job, id }, "the reconciler failed at one row and continues with the others")
    return undefined
  }
}

interface Sweep<Row> {
  readonly list: (page: SessionPage) => Promise<readonly Row[]>
  readonly work: (rows: readonly Row[]) => Promise<void>
}

const sweep = async <Row extends { readonly id: string }>(
  store: Pick<Store, "reconciler">,
  run: JobRun,
  { list, work, ...range }: Sweep<Row> & Pick<SessionPage, "after" | "until">,
): Promise<void> => {
  for (let { after } = range; ;) {
    const rows = await list({ ...range, after, limit: run.pageSize })
    reportProgress(run, after)
    if (rows.length > 0) await work(rows)
    const last = rows.at(-1)
    if (last === undefined || rows.length < run.pageSize) return
    after = last.id
    if (!run.dryRun) await store.reconciler.setCursor(run.job, after)
  }
}

/**
 * Goes through all rows, page by page. A pass that was interrupted leaves its position in the store: the next one starts there and then takes the rows
 * before it, so that no row waits behind one that never succeeds.
 */
export const eachPage = async <Row extends { readonly id: string }>(
  store: Pick<Store, "reconciler">,
  run: JobRun,
  pages: Sweep<Row>,
): Promise<void> => {
  const start = run.dryRun ? "" : await store.reconciler.cursor(run.job)
  await sweep(store, run, { ...pages, after: start })
  if (start !== "") await sweep(store, run, { ...pages, after: "", until: start })
  if (!run.dryRun && (await store.reconciler.cursor(run.job)) !== "") await store.reconciler.setCursor(run.job, "")
}
