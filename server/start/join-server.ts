import { setTimeout as delay } from "node:timers/promises"
import type { Connection } from "@temporalio/client"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { openConnection } from "../connection/open-connection.ts"
import type { EnsureServerOptions } from "./ensure-server-options.ts"
import { ensureTemporalProgram } from "../program/ensure-temporal-program.ts"
import { keeperSettings } from "../keeper/keeper-settings.ts"
import type { TemporalProgram } from "../program/program-search.ts"
import { serverFiles } from "../process/server-files.ts"
import type { ServerRecord } from "../keeper/server-record.ts"
import { type Keeper, liveRecord } from "../keeper/start-keeper.ts"
import { createPatience } from "../process/patience.ts"
import type { StartLimits } from "../process/start-limits.ts"
import { reportWait } from "../process/report-wait.ts"

/** A server that is ready, and a connection to it that the caller must close. */
export interface Joined {
  readonly record: ServerRecord
  readonly connection: Connection
}

/**
 * Waits for the server of the data directory, and starts it if no other process does. The limits start when the program is available: a download or
 * build, by this process or another, is not limited. Throws AdjutantError `temporal_unavailable`.
 */
export const joinServer = async (
  options: EnsureServerOptions,
  keeper: Pick<Keeper, "start">,
  limits: StartLimits,
): Promise<Joined> => {
  const { dataDir, env, signal, onProgress } = options
  const start = createPatience(limits.keeperTimeoutMs)
  const answer = createPatience(limits.answerTimeoutMs)
  let program: TemporalProgram | undefined
  let onWait = reportEverySecond(onProgress)
  for (;;) {
    signal?.throwIfAborted()
    const record = liveRecord(dataDir)
    if (record === undefined) {
      answer.reset()
      if (program === undefined) {
        program = await ensureTemporalProgram({ ...limits, env, signal, onProgress })
        onWait = reportEverySecond(onProgress)
      }
      if (start.isOver()) throw unanswered(dataDir, "does not get ready")
      await keeper.start(keeperSettings(options, program.path), { signal, onWait })
    } else {
      start.reset()
      const connection = await connectOnce(record.address)
      if (connection !== undefined) return { record, connection }
      if (answer.isOver()) throw unanswered(dataDir, "does not answer")
    }
    onWait()
    await delay(20, undefined, { signal })
  }
}

const unanswered = (dataDir: string, what: string): AdjutantError =>
  new AdjutantError("temporal_unavailable", `the embedded Temporal server ${what}; read ${serverFiles(dataDir).log}`)

const connectOnce = async (address: string): Promise<Connection | undefined> => {
  try {
    return await openConnection({ address, connectTimeout: 2_000 })
  } catch {
    return undefined
  }
}

const reportEverySecond = (onProgress: ((line: string) => void) | undefined): (() => void) =>
  reportWait(1_000, (elapsedMs) => onProgress?.(`waiting for the Temporal server … ${Math.floor(elapsedMs / 1000)} s`))
