import type { Logger } from "pino"
import type { RunningWorker } from "../worker/start-worker.ts"

/** The worker of a program. */
export interface ProgramWorker extends RunningWorker {
  /**
   * Resolves when it has stopped: after `stop`, because it has failed, or because a person has ended the service of the data directory
   * (`adjutant service stop`).
   */
  readonly stopped: Promise<void>
}

interface Parts {
  readonly worker: RunningWorker
  /** Resolves when the service of the data directory is to end. Undefined if this program is not the service. */
  readonly ended: Promise<unknown> | undefined
  /** Closes everything that the program has opened, once. */
  close(): Promise<void>
  readonly logger: Pick<Logger, "error">
}

/**
 * Returns the worker of a program, which closes everything when it is stopped, when the service is to end, and when the worker fails: a service without a
 * worker would accept tasks that nothing executes.
 */
export const createProgramWorker = ({ worker, ended, close, logger }: Parts): ProgramWorker => {
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  const stop = (): Promise<void> => close().finally(resolve)
  const stopUnasked = (): Promise<void> =>
    stop().catch((error: unknown) => logger.error({ err: error }, "the worker could not stop"))
  void ended?.then(stopUnasked)
  const failed = worker.failed.catch(async (error: unknown): Promise<never> => {
    await stopUnasked()
    throw error
  })
  return { ...worker, failed, stop, stopped }
}
