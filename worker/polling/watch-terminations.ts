import type { Client } from "@temporalio/client"
import type { Logger } from "pino"
import { triggerReconciler } from "../../engine/reconcile-schedule.ts"
import type { Store } from "../../store/store.ts"
import { repeat } from "../repeat.ts"

export interface TerminationWatchOptions {
  readonly temporal: Pick<Client, "schedule"> & { readonly workflow: Pick<Client["workflow"], "list"> }
  readonly store: Pick<Store, "engine" | "missing">
  readonly taskQueue: string
  readonly missingConfirmMs: number
  readonly everyMs: number
  readonly logger: Pick<Logger, "warn">
}

/** Allows for different clocks, and for the delay of the engine's lists. */
const windowMs = 300_000
const mostListed = 100

const queryOf = (taskQueue: string, sinceMs: number): string =>
  [
    `TaskQueue = "${taskQueue}"`,
    'ExecutionStatus IN ("Terminated", "TimedOut", "Failed")',
    'WorkflowType != "delivery" AND WorkflowType != "reconcile"',
    `CloseTime > "${new Date(sinceMs).toISOString()}"`,
  ].join(" AND ")

/**
 * Starts a pass of the reconciler when an execution has ended without running code, and when sessions that were missing once must be checked again. One
 * list per minute costs the engine less than a pass per minute. Returns a function that stops the watch.
 */
export const watchTerminations = (options: TerminationWatchOptions): (() => void) => {
  const { temporal, store, taskQueue, missingConfirmMs, everyMs, logger } = options
  let seen: ReadonlySet<string> | undefined

  const hasNewTermination = async (): Promise<boolean> => {
    const query = queryOf(taskQueue, Date.now() - windowMs)
    const ended = new Set<string>()
    for await (const { runId } of temporal.workflow.list({ query, pageSize: mostListed })) {
      ended.add(runId)
      if (ended.size >= mostListed) break
    }
    const before = seen
    seen = ended
    // The worker has just started a pass, which covers executions that ended before.
    return before !== undefined && [...ended].some((runId) => !before.has(runId))
  }

  const hasUnconfirmed = async (): Promise<boolean> => {
    const remembered = await store.engine.read()
    const missing = remembered === undefined ? [] : await store.missing.list(remembered.claimId)
    const isDue = (firstSeenAt: string): boolean => Date.now() - Date.parse(firstSeenAt) >= missingConfirmMs
    return missing.some(({ times, firstSeenAt }) => times < 2 && isDue(firstSeenAt))
  }

  const look = async (): Promise<void> => {
    try {
      if ((await hasNewTermination()) || (await hasUnconfirmed())) await triggerReconciler(temporal, taskQueue)
    } catch (error) {
      logger.warn({ err: error }, "could not check for terminated sessions; trying again")
    }
  }
  void look()
  return repeat(look, everyMs)
}
