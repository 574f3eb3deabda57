import type { Worker } from "@temporalio/worker"
import type { Logger } from "pino"
import { repeat } from "../repeat.ts"

export interface WorkflowPollingOptions {
  /** Creates a worker for the workflow tasks of the store. */
  readonly create: () => Promise<Worker>
  /** Whether this process should execute workflow tasks now. */
  readonly shouldPoll: () => Promise<boolean>
  readonly everyMs: number
  readonly logger: Pick<Logger, "warn">
}

export interface WorkflowPolling {
  /** Rejects when the worker fails by itself. */
  readonly failed: Promise<never>
  /** Stops the worker, which completes its tasks first. */
  stop(): Promise<void>
}

/** Executes workflow tasks while `shouldPoll` says so, and asks it at intervals. While it cannot say, nothing changes. */
export const pollWorkflows = async (options: WorkflowPollingOptions): Promise<WorkflowPolling> => {
  const { create, shouldPoll, everyMs, logger } = options
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  let running: { readonly worker: Worker; readonly ended: Promise<void> } | undefined
  let isStopped = false

  const begin = async (): Promise<void> => {
    const worker = await create()
    const ended = worker.run()
    ended.catch(reject)
    running = { worker, ended }
  }
  const end = async (): Promise<void> => {
    if (running === undefined) return
    const { worker, ended } = running
    if (worker.getState() === "RUNNING") worker.shutdown()
    await Promise.allSettled([ended])
    running = undefined
  }
  const look = async (): Promise<void> => {
    const polls = await shouldPoll()
    if (isStopped) return
    if (polls && running === undefined) await begin()
    if (!polls) await end()
  }

  await look()
  let looking: Promise<void> = Promise.resolve()
  const stopLooking = repeat(async () => {
    looking = look().catch((error: unknown) => {
      logger.warn({ err: error }, "could not check which workers execute workflow tasks; trying again")
    })
    await looking
  }, everyMs)
  return {
    failed,
    async stop() {
      isStopped = true
      stopLooking()
      // A worker that is being created can only be stopped afterwards.
      if (running === undefined) await looking
      await end()
    },
  }
}
