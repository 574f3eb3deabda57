import { setTimeout as delay } from "node:timers/promises"
import type { Random } from "../random.ts"
import type { TcpProxy } from "../world/tcp-proxy.ts"
import type { ClusterWorld } from "../world/open-world.ts"
import type { FaultOf } from "./fault-of.ts"

type Fault = FaultOf<ClusterWorld>

/** How long a host that vanished stays away: its connections are never closed. */
const vanish = async (proxy: TcpProxy, random: Random): Promise<void> => {
  proxy.silence()
  await delay(random.between(2_000, 12_000))
}

/** What is asked takes effect, and nobody gets to know. */
const loseAnswers = async (proxy: TcpProxy, random: Random): Promise<void> => {
  proxy.loseAnswers()
  await delay(random.between(200, 3_000))
  proxy.cut()
}

const between = (proxy: TcpProxy, whom: string): readonly Fault[] => [
  { name: `cut all connections to ${whom}`, weight: 3, kills: 0, happen: async () => proxy.cut() },
  { name: `let the host of ${whom} vanish`, weight: 2, kills: 0, happen: (_, random) => vanish(proxy, random) },
  { name: `lose the answers of ${whom}`, weight: 4, kills: 0, happen: (_, random) => loseAnswers(proxy, random) },
]

/** Returns the faults of the connections to Temporal, and to a store that is a server. */
export const networkFaults = ({ proxy, storeProxy }: ClusterWorld): readonly Fault[] => [
  ...between(proxy, "Temporal"),
  ...(storeProxy === undefined ? [] : between(storeProxy, "PostgreSQL")),
]

/** Stops every process as a closed lid does, for longer than a heartbeat may take. What the commands of tools do continues. */
export const sleepOfAll: Fault = {
  name: "let the machine sleep",
  weight: 2,
  kills: 0,
  happen: async ({ engine, workers, servers }, random) => {
    const all = [engine, ...workers, ...servers]
    for (const each of all) each.signal("SIGSTOP")
    await delay(random.between(9_000, 20_000))
    for (const each of all) each.signal("SIGCONT")
  },
}
