import { pino } from "pino"
import { installRuntime } from "../../worker/runtime.ts"
import { setTimeout as delay } from "node:timers/promises"
import { eventually } from "../helpers/eventually.ts"
import { checkInvariants } from "./checks/check-invariants.ts"
import type { FaultOf } from "./faults/fault-of.ts"
import { createChoice, faultsFor, killsOf } from "./faults/faults.ts"
import { serviceFaults, serviceKills } from "./faults/service-faults.ts"
import { patientApi } from "./load/patient-api.ts"
import { type PlayedItem, playItem } from "./load/play-item.ts"
import { createRandom, type Random } from "./random.ts"
import { itemKinds } from "./world/chaos-model.ts"
import { openServiceWorld } from "./world/open-service-world.ts"
import { type ChaosStore, openWorld } from "./world/open-world.ts"
import type { World } from "./world/world.ts"

export type Deployment = "cluster" | "service"

export interface ChaosOptions {
  readonly seed: number
  /** How long faults happen and new work is started. */
  readonly minutes: number
  /** Sessions in flight at a time. */
  readonly sideBySide?: number
  /** Where the store is; default `sqlite`. */
  readonly store?: ChaosStore
  /** What works: workers and servers of a cluster (default), or one service with its embedded Temporal server, whose store is an SQLite file. */
  readonly deployment?: Deployment
  /** Kills a process of the product about once in this time, in addition to the other faults. */
  readonly killEveryMs?: number
  /** Receives a line for each fault. */
  readonly log?: (line: string) => void
  /** How long the last sessions may take to end when nothing disturbs them any more; default 5 minutes. */
  readonly calmMs?: number
}

export interface ChaosReport {
  readonly seed: number
  readonly store: ChaosStore
  readonly deployment: Deployment
  readonly sessions: number
  /** The number of occurrences of each fault. */
  readonly faults: Readonly<Record<string, number>>
  /** Processes that were killed by SIGKILL. */
  readonly kills: number
  readonly violations: readonly string[]
  /** The folder of a run with violations, which is kept. */
  readonly folder?: string
}

/** A disturbance of the world of this run, which has ended when its promise resolves. */
interface Fault extends Omit<FaultOf<never>, "happen"> {
  readonly happen: (random: Random) => Promise<boolean | void>
}

/** A world and what can happen in it. */
interface Scene {
  readonly world: World
  readonly faults: readonly Fault[]
  readonly kills: readonly [Fault, ...Fault[]]
}

const openScene = async (random: Random, deployment: Deployment, store: ChaosStore): Promise<Scene> => {
  const inWorld =
    <W>(world: W) =>
    ({ happen, ...fault }: FaultOf<W>): Fault => ({ ...fault, happen: (chance) => happen(world, chance) })
  if (deployment === "service") {
    const world = await openServiceWorld(random)
    const [first, ...others] = serviceKills
    const here = inWorld(world)
    return {
      world,
      faults: serviceFaults.map(here),
      kills: [here(first), ...others.map(here)],
    }
  }
  const world = await openWorld(random, store)
  const here = inWorld(world)
  const [first, second] = killsOf(world)
  return {
    world,
    faults: faultsFor(world).map(here),
    kills: [here(first), here(second)],
  }
}

interface Course extends Scene {
  readonly random: Random
  readonly log: (line: string) => void
  readonly tally: Tally
  readonly endsAt: number
}

/** Starts item after item until the time has passed; resolves when all have ended. */
const playLoad = async (course: Course, sideBySide: number, stop: AbortSignal) => {
  const api = patientApi(course.world.urls, stop)
  const played: PlayedItem[] = []
  const failures: string[] = []
  const open = new Set<string>()
  let count = 0
  const playOne = async (): Promise<void> => {
    count += 1
    const id = `i${count}`
    const kind = course.random.pick(itemKinds)
    open.add(id)
    try {
      played.push(await playItem({ api, random: course.random, cwd: course.world.cwd }, { id, kind }))
    } catch (error) {
      const reason = stop.aborted ? "did not end" : error instanceof Error ? error.message : String(error)
      failures.push(`${id} (${kind}): ${reason}`)
    } finally {
      open.delete(id)
    }
  }
  const lines = Array.from({ length: sideBySide }, async () => {
    while (performance.now() < course.endsAt) await playOne()
  })
  await Promise.all(lines)
  return { played, failures }
}

/** What has happened so far. */
interface Tally {
  readonly faults: Record<string, number>
  kills: number
}

const cause = async ({ random, log, tally }: Course, { name, kills, happen }: Fault): Promise<void> => {
  log(name)
  if ((await happen(random)) === false) return log(`not possible now: ${name}`)
  tally.faults[name] = (tally.faults[name] ?? 0) + 1
  tally.kills += kills
}

/** Causes one fault after the other until the time has passed. */
const disturb = async (course: Course): Promise<void> => {
  const { faults, random, endsAt } = course
  const choose = createChoice(faults, random)
  for (;;) {
    await delay(random.between(1_000, 5_000))
    if (performance.now() >= endsAt) return
    await cause(course, choose())
  }
}

/** Kills processes in addition to the other faults, on average once in this time. */
const killSteadily = async (course: Course, everyMs: number): Promise<void> => {
  const { kills, random, endsAt } = course
  for (;;) {
    await delay(random.between(everyMs / 2, everyMs * 1.5))
    if (performance.now() >= endsAt) return
    await cause(course, random.pick(kills))
  }
}

/** The last deliveries may still be tried when the last session has ended. */
const waitForDeliveries = async (world: World, played: readonly PlayedItem[], calmMs: number): Promise<void> => {
  const delivered = (): boolean => {
    const ids = new Set(world.receiver.effects.map(({ body }) => String(body.session?.id)))
    return played.every(({ sessionId, status }) => status === "cancelled" || ids.has(sessionId))
  }
  await eventually(delivered, { timeoutMs: calmMs, everyMs: 500 }).catch(() => undefined)
}

/** Plays a mixed load while it kills, stops and disconnects processes, and compares the result with the ground truth. */
export const runChaos = async (options: ChaosOptions): Promise<ChaosReport> => {
  const {
    seed,
    minutes,
    sideBySide = 6,
    log = () => undefined,
    calmMs = 300_000,
    store = "sqlite",
    deployment = "cluster",
    killEveryMs,
  } = options
  installRuntime(pino({ level: "silent" }))
  const random = createRandom(seed)
  const scene = await openScene(random, deployment, store)
  const { world } = scene
  const stop = new AbortController()
  let violations: readonly string[] = ["the run did not end"]
  try {
    const tally: Tally = { faults: {}, kills: 0 }
    const course = { ...scene, random, log, tally, endsAt: performance.now() + minutes * 60_000 }
    const loading = playLoad(course, sideBySide, stop.signal)
    await Promise.all([disturb(course), ...(killEveryMs === undefined ? [] : [killSteadily(course, killEveryMs)])])
    log("no more faults")
    const timer = setTimeout(() => stop.abort(new Error("the last sessions took too long")), calmMs)
    const { played, failures } = await loading
    clearTimeout(timer)
    await waitForDeliveries(world, played, calmMs)
    violations = [
      ...failures,
      ...(await checkInvariants(world, patientApi(world.urls, AbortSignal.timeout(calmMs)), played)),
    ]
    const report = { seed, store, deployment, sessions: played.length + failures.length, ...tally, violations }
    return violations.length === 0 ? report : { ...report, folder: world.folder }
  } finally {
    await world.close({ keep: violations.length > 0 })
  }
}
