import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Random } from "../random.ts"
import type { SupervisedProcess } from "../world/supervised-process.ts"
import type { World } from "../world/open-world.ts"

/** A disturbance, which has ended when its promise resolves. */
export interface Fault {
  readonly name: string
  /** How often it is chosen, compared with the others. */
  readonly weight: number
  /** The number of processes that one occurrence kills. */
  readonly kills: number
  happen(world: World, random: Random): Promise<void>
}

const pickProcess = (world: World, random: Random): SupervisedProcess =>
  random.pick(random.chance(0.7) ? world.workers : world.servers)

const stopAndContinue = async (
  target: { signal(signal: NodeJS.Signals): void },
  random: Random,
  longestMs: number,
): Promise<void> => {
  target.signal("SIGSTOP")
  await delay(random.between(1_000, longestMs))
  target.signal("SIGCONT")
}

const mebibyte = 1024 * 1024

/** Writes until the disk is full, waits, and frees the space. */
const fillDisk = async (world: World, random: Random): Promise<void> => {
  const file = join(world.dataDir, "ballast")
  const handle = await open(file, "w")
  try {
    for (let size = mebibyte; size >= 4_096;) {
      try {
        await handle.write(Buffer.alloc(size))
      } catch {
        size /= 4
      }
    }
    await delay(random.between(1_000, 8_000))
  } finally {
    await handle.close()
    await rm(file, { force: true })
  }
}

const swapEngine: Fault = {
  name: "put an empty Temporal server in its place",
  weight: 1,
  kills: 0,
  happen: async (world, random) => {
    world.proxy.redirect(world.emptyEngine.port)
    await delay(random.between(2_000, 12_000))
    world.proxy.redirect(world.engine.port)
  },
}

/** Returns the faults that are possible in this world. */
export const faultsFor = (world: World, { swapsEngine }: { readonly swapsEngine: boolean }): readonly Fault[] => [
  {
    name: "kill a worker",
    weight: 6,
    kills: 1,
    happen: async ({ workers }, random) => random.pick(workers).signal("SIGKILL"),
  },
  {
    name: "kill an HTTP server",
    weight: 3,
    kills: 1,
    happen: async ({ servers }, random) => random.pick(servers).signal("SIGKILL"),
  },
  {
    name: "kill the Temporal server",
    weight: 2,
    kills: 1,
    happen: async ({ engine }, random) => {
      await engine.restart()
      await delay(random.between(0, 2_000))
      await engine.ready()
    },
  },
  {
    name: "stop a process for a while",
    weight: 2,
    kills: 0,
    happen: (_, random) => stopAndContinue(pickProcess(world, random), random, 15_000),
  },
  {
    name: "stop the Temporal server for a while",
    weight: 1,
    kills: 0,
    happen: (_, random) => stopAndContinue(world.engine, random, 8_000),
  },
  { name: "cut all connections to Temporal", weight: 3, kills: 0, happen: async () => world.proxy.cut() },
  ...(swapsEngine ? [swapEngine] : []),
  ...(world.hasOwnDisk ? [{ name: "fill the disk of the store", weight: 1, kills: 0, happen: fillDisk }] : []),
]

/** Chooses by weight. */
export const chooseFault = (faults: readonly Fault[], random: Random): Fault => {
  let left = random.next() * faults.reduce((sum, { weight }) => sum + weight, 0)
  for (const fault of faults) {
    left -= fault.weight
    if (left < 0) return fault
  }
  throw new Error("no fault can happen here")
}
