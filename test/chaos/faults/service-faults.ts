import { setTimeout as delay } from "node:timers/promises"
import type { Random } from "../random.ts"
import type { ServiceWorld } from "../world/open-service-world.ts"
import type { FaultOf } from "./fault-of.ts"

type ServiceFault = FaultOf<ServiceWorld>

/** The processes of a service, each of which ends and stops alone. */
const parts = {
  "the service": (world: ServiceWorld, signal: NodeJS.Signals) => {
    world.service.signal(signal)
    return true
  },
  "the keeper": (world: ServiceWorld, signal: NodeJS.Signals) => world.signalKeeper(signal),
  "the Temporal server": (world: ServiceWorld, signal: NodeJS.Signals) => world.signalTemporal(signal),
} as const
type Part = keyof typeof parts

const kill = (part: Part, weight: number): ServiceFault => ({
  ...{ name: `kill ${part}`, weight, kills: 1 },
  happen: async (world) => parts[part](world, "SIGKILL"),
})

/** Lets processes stand still, as those of a machine that sleeps. */
const standStill = async (world: ServiceWorld, which: readonly Part[], ms: number): Promise<void> => {
  for (const part of which) parts[part](world, "SIGSTOP")
  await delay(ms)
  for (const part of which) parts[part](world, "SIGCONT")
}

const stop = (part: Part, weight: number, longestMs: number): ServiceFault => ({
  ...{ name: `stop ${part} for a while`, weight, kills: 0 },
  happen: (world, random: Random) => standStill(world, [part], random.between(1_000, longestMs)),
})

const all = ["the service", "the keeper", "the Temporal server"] as const

/** Returns the faults that kill a process. */
export const serviceKills = [kill("the service", 6), kill("the keeper", 3), kill("the Temporal server", 3)] as const

export const serviceFaults: readonly ServiceFault[] = [
  ...serviceKills,
  {
    ...{ name: "kill all processes at once", weight: 2, kills: 3 },
    happen: async (world) => {
      // The server first: nothing starts it again.
      for (const part of all.toReversed()) parts[part](world, "SIGKILL")
    },
  },
  {
    ...{ name: "restart the service", weight: 2, kills: 0 },
    happen: async ({ service }) => service.signal("SIGTERM"),
  },
  stop("the service", 2, 15_000),
  stop("the keeper", 1, 15_000),
  stop("the Temporal server", 1, 8_000),
  {
    ...{ name: "let the machine sleep", weight: 3, kills: 0 },
    // Longer than a heartbeat may take.
    happen: (world, random) => standStill(world, all, random.between(9_000, 20_000)),
  },
]
