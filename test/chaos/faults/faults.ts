import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { PrivatePostgres } from "../../../scripts/cluster/private-postgres.ts"
import type { Random } from "../random.ts"
import type { SupervisedProcess } from "../world/supervised-process.ts"
import type { EngineProcess } from "../world/engine-process.ts"
import type { ClusterWorld } from "../world/open-world.ts"
import type { FaultOf } from "./fault-of.ts"
import { networkFaults, sleepOfAll } from "./network-faults.ts"

type ClusterFault = FaultOf<ClusterWorld>

const pickProcess = (world: ClusterWorld, random: Random): SupervisedProcess =>
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
const fillDisk = async (world: ClusterWorld, random: Random): Promise<void> => {
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

const restartPostgres = (postgres: PrivatePostgres): ClusterFault => ({
  name: "restart PostgreSQL",
  weight: 3,
  kills: 1,
  happen: (_, random) => postgres.crash(random.between(0, 5_000)),
})

/** Lets another server answer for a while. */
const swap = async ({ proxy, engine }: ClusterWorld, other: EngineProcess, random: Random): Promise<void> => {
  proxy.redirect(other.port)
  await delay(random.between(2_000, 12_000))
  proxy.redirect(engine.port)
}

/** Returns the faults that kill a process of the product. */
export const killsOf = ({ workers, servers }: ClusterWorld): readonly [ClusterFault, ClusterFault] => [
  {
    name: "kill a worker",
    weight: 6,
    kills: 1,
    happen: async (_, random) => random.pick(workers).signal("SIGKILL"),
  },
  {
    name: "kill an HTTP server",
    weight: 3,
    kills: 1,
    happen: async (_, random) => random.pick(servers).signal("SIGKILL"),
  },
]

/** Returns the faults that are possible in this world. */
export const faultsFor = (world: ClusterWorld): readonly ClusterFault[] => [
  ...killsOf(world),
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
  sleepOfAll,
  ...networkFaults(world),
  {
    name: "put an empty Temporal server in its place",
    weight: 1,
    kills: 0,
    happen: (_, random) => swap(world, world.emptyEngine, random),
  },
  ...(world.postgres === undefined ? [] : [restartPostgres(world.postgres)]),
  ...(world.hasOwnDisk && world.postgres === undefined
    ? [{ name: "fill the disk of the store", weight: 1, kills: 0, happen: fillDisk }]
    : []),
]

/** Returns a function that chooses the next fault: each of them once, in an order of the seed, and then by weight. */
export const createChoice = <Fault extends { readonly weight: number }>(
  faults: readonly Fault[],
  random: Random,
): (() => Fault) => {
  const first = [...faults]
  const total = faults.reduce((sum, { weight }) => sum + weight, 0)
  const chooseByWeight = (): Fault | undefined => {
    let left = random.next() * total
    return faults.find(({ weight }) => {
      left -= weight
      return left < 0
    })
  }
  return () => {
    const fault = first.splice(random.between(0, Math.max(first.length - 1, 0)), 1)[0] ?? chooseByWeight()
    if (fault === undefined) throw new Error("no fault can happen here")
    return fault
  }
}
