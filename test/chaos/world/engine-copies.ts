import { rm } from "node:fs/promises"
import { join } from "node:path"
import { inspectStore, type StoreOptions } from "../../../store/open-store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type EngineProcess, startEngineProcess } from "./engine-process.ts"

/** Copies of the engine's database, made while it is running. */
export interface EngineCopies {
  /** Makes a copy, unless there is one that is not old enough yet. */
  make(): Promise<void>
  /** Waits until the last copy is older than the store allows, and starts a server with it. Removes the copy when the server is killed. */
  start(): Promise<EngineProcess>
}

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
      await eventually(
        async () => {
          await make()
          return last !== undefined && (await isOldEnough(last))
        },
        { timeoutMs: 120_000, everyMs: 500 },
      )
      if (last === undefined) throw new Error("there is no copy")
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
