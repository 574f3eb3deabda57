import type { Client } from "@temporalio/client"
import type { Logger } from "pino"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { failActivities } from "./fail-activities.ts"
import { identifyThisProcess, isOfThisBoot } from "../../server/process/process-identity.ts"
import { hasDied, machineOf } from "../worker-process.ts"
import { repeat } from "../repeat.ts"
import { sessionPages } from "../../sessions/rows/page.ts"
import type { Store } from "../../store/store.ts"

export interface RegisteringWorker {
  readonly store: Pick<Store, "workers" | "sessions">
  readonly temporal: Client
  readonly logger: Pick<Logger, "info" | "warn">
}

/**
 * Removes the rows of this machine's dead workers and returns their identities. A row that another process removed is that one's: two processes that
 * answer for the same call could fail the attempt that runs since the first answer. A row from before a restart of the machine stays, since it can be that
 * of another machine with the same name: those calls start again after their heartbeat timeout.
 */
const takeDead = async ({ store }: RegisteringWorker, machine: string): Promise<ReadonlySet<string>> => {
  const identities = new Set<string>()
  for (const worker of await store.workers.onMachine(machine))
    if (isOfThisBoot(worker) && hasDied(worker) && (await store.workers.remove(worker.identity)))
      identities.add(worker.identity)
  return identities
}

const atOnce = 20

/** Fails what the workers of these identities were running in running sessions. Returns the number of calls. */
const failCallsOf = async (
  { store, temporal }: Pick<RegisteringWorker, "store" | "temporal">,
  identities: ReadonlySet<string>,
): Promise<number> => {
  let failed = 0
  for await (const page of sessionPages(store, { status: "running", includeArchived: true }))
    for (let start = 0; start < page.length; start += atOnce) {
      const sessions = page.slice(start, start + atOnce)
      const counts = await Promise.all(
        sessions.map(({ id }) => failActivities(temporal, sessionWorkflowId(id), identities)),
      )
      failed += counts.reduce((sum, count) => sum + count, 0)
    }
  return failed
}

/** Fails what dead workers of this machine were running, so that others take it over at once and not after its heartbeat timeout. */
const replaceDead = async (options: RegisteringWorker, machine: string): Promise<void> => {
  const identities = await takeDead(options, machine)
  if (identities.size === 0) return
  const failed = await failCallsOf(options, identities)
  options.logger.info({ workers: identities.size, calls: failed }, "took over the calls of workers that have ended")
}

/** A fraction of the time after which the store removes the row. */
const noteEveryMs = 6 * 3_600_000

/**
 * Records that a worker of this process runs, and takes over from those of this machine that have died. It must not poll before: the engine fails
 * whichever attempt of a call is running, and that could be this worker's own one. Returns what removes the record.
 */
export const registerWorker = async (options: RegisteringWorker, identity: string): Promise<() => Promise<void>> => {
  const { store, logger } = options
  const machine = machineOf()
  const row = { identity, machine, ...identifyThisProcess() }
  await store.workers.note(row)
  await replaceDead(options, machine).catch((error: unknown) =>
    logger.warn({ err: error }, "calls of workers that have ended start again after their heartbeat timeout"),
  )
  let noting = Promise.resolve()
  const stopNoting = repeat(async () => {
    noting = store.workers.note(row).catch((error: unknown) => {
      logger.warn({ err: error }, "could not store that this worker is running; trying again later")
    })
    await noting
  }, noteEveryMs)
  return async () => {
    stopNoting()
    await noting
    await store.workers.remove(identity).catch((error: unknown) => {
      logger.warn({ err: error }, "the record of this worker remains until the next worker of this machine starts")
    })
  }
}
