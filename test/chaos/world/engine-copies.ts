import { rm } from "node:fs/promises"
import { join } from "node:path"
import { inspectStore, type StoreOptions } from "../../../store/open-store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type EngineProcess, startEngineProcess } from "./engine-process.ts"

/** Copies of the engine's database, made while it is running. */
export interface EngineCopies {
  /** Makes a copy, unless there is one that is not old enough yet. */
  make(): Promise<void>
  /** Starts a server with the last copy, once that is older than the store allows; removes it when the server is killed. Undefined if it is not soon. */
  start(): Promise<EngineProcess | undefined>
}

const patienceMs = 60_000

interface CopyOptions {
  readonly program: string
  readonly folder: string
  readonly engine: Pick<EngineProcess, "backUp">
  readonly store: Pick<StoreOptions, "url" | "dataDir">
}

interface Copy {
  readonly file: string
  /** The number that the engine was about to get when the copy was made. */
  readonly marker: number
}

/** An unavailable store has no marker. */
const markerOf = async (store: CopyOptions["store"]) => {
  try {
    return (await inspectStore({ ...store, patienceMs: 1_000 }))?.engine?.marker
  } catch {
    return undefined
  }
}

export const createEngineCopies = ({ program, folder, engine, store }: CopyOptions): EngineCopies => {
  let made = 0
  let last: Copy | undefined
  const isOldEnough = async ({ marker }: Copy): Promise<boolean> => ((await markerOf(store))?.required ?? 0) > marker
  const make = async (): Promise<void> => {
    if (last !== undefined) return
    made += 1
    const file = join(folder, `copy-${made}.db`)
    await engine.backUp(file)
    const marker = await markerOf(store)
    // Several processes may have written a number to the engine that is not in the store yet.
    if (marker !== undefined) last = { file, marker: marker.written + 2 }
  }
  return {
    make,
    async start() {
      const isUsable = async (): Promise<boolean> => {
        await make()
        return last !== undefined && (await isOldEnough(last))
      }
      // Workers that are killed all the time write no numbers.
      await eventually(isUsable, { timeoutMs: patienceMs, everyMs: 500 }).catch(() => undefined)
      if (last === undefined || !(await isOldEnough(last))) return undefined
      const { file } = last
      last = undefined
      const copy = await startEngineProcess(program, file)
      const kill = async (): Promise<void> => {
        await copy.kill()
        for (const suffix of ["", "-wal", "-shm"]) await rm(`${file}${suffix}`, { force: true })
      }
      return { ...copy, kill }
    },
  }
}
