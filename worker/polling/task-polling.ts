import type { Worker } from "@temporalio/worker"
import type { Logger } from "pino"
import { repeat } from "../repeat.ts"

/** Identifies what a worker may keep in memory: undefined if no worker should poll now. */
export type Generation = string | number | undefined

export interface TaskPollingOptions {
  /** Creates a worker for tasks of the store. */
  readonly create: () => Promise<Worker>
  /** When it changes, a new worker without its memory replaces the running one. */
  readonly generation: () => Promise<Generation>
  readonly everyMs: number
  readonly logger: Pick<Logger, "warn">
}

export interface TaskPolling {
  /** Rejects when a worker fails by itself. */
  readonly failed: Promise<never>
  /** Stops the worker, which completes its tasks first. */
  stop(): Promise<void>
}

interface RunningWorker {
  readonly worker: Worker
  readonly ended: Promise<void>
  readonly generation: Generation
}

/** Workers that run and that end; of those that run there is one at most. */
const createShift = (create: TaskPollingOptions["create"], onFailure: (error: unknown) => void) => {
  let running: RunningWorker | undefined
  const ending = new Set<Promise<unknown>>()
  const dismiss = (): void => {
    if (running === undefined) return
    const { worker, ended } = running
    running = undefined
    if (worker.getState() === "RUNNING") worker.shutdown()
    const settled = Promise.allSettled([ended]).finally(() => ending.delete(settled))
    ending.add(settled)
  }
  return {
    isRunning: () => running !== undefined,
    /** Stops a worker of another generation, whose tasks in flight end meanwhile, and starts one of this generation. */
    change: async (generation: Generation): Promise<void> => {
      if (running?.generation === generation) return
      dismiss()
      if (generation === undefined) return
      const worker = await create()
      const ended = worker.run()
      ended.catch(onFailure)
      running = { worker, ended, generation }
    },
    end: async (): Promise<void> => {
      dismiss()
      await Promise.all(ending)
    },
  }
}

/** Executes tasks while `generation` returns one, and asks it at intervals. While it cannot say, nothing changes. */
export const pollTasks = async ({ create, generation, everyMs, logger }: TaskPollingOptions): Promise<TaskPolling> => {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  const shift = createShift(create, reject)
  let isStopped = false
  let isWarned = false

  const look = async (): Promise<void> => {
    const wanted = await generation()
    if (!isStopped) await shift.change(wanted)
    isWarned = false
  }
  const lookAgain = async (): Promise<void> => {
    try {
      await look()
    } catch (error) {
      if (!isWarned)
        logger.warn({ err: error }, "could not check whether this worker should execute tasks; trying again")
      isWarned = true
    }
  }

  await look()
  let looking: Promise<void> = Promise.resolve()
  const stopLooking = repeat(() => (looking = lookAgain()), everyMs)
  return {
    failed,
    async stop() {
      isStopped = true
      stopLooking()
      // A worker that is being created can only be stopped afterwards.
      if (!shift.isRunning()) await looking
      await shift.end()
    },
  }
}
