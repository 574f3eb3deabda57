import { setTimeout as delay } from "node:timers/promises"
import type { Benchmark, Figure } from "../../benchmark.ts"
import { residentBytes } from "../../figures/session-bytes.ts"
import { shown } from "../../figures/results-table.ts"
import { openServiceProject, type ServiceProject } from "../../rig/service-project.ts"
import { serverRecordOf } from "../../rig/tuned-server.ts"

const pausedSessions = 100
const atOnce = 5
/** What a start has used is given back within this time. */
const startSettlesMs = 60_000
/** Both programs give back what a hundred starts at once have used after some minutes without work. It is not the hour of the goal. */
const runsSettleMs = 300_000

const megabytesOf = (pid: number | undefined): number => (pid === undefined ? 0 : residentBytes(pid) / 1_000_000)

/** Returns the resident memory of everything that runs in the background for a project. */
const measure = async (project: ServiceProject, settleMs: number, log: (line: string) => void): Promise<number> => {
  await delay(settleMs)
  const { pid } = await project.service()
  const record = serverRecordOf(project.dataDir)
  const [service, engine, keeper] = [pid, record.pid, record.guard?.pid].map(megabytesOf)
  log(`service ${shown(service ?? 0)} MB, Temporal ${shown(engine ?? 0)} MB, keeper ${shown(keeper ?? 0)} MB`)
  return (service ?? 0) + (engine ?? 0) + (keeper ?? 0)
}

const figureOf = (label: string, value: number, most: number): Figure => ({
  ...{ label, unit: "MB", values: [value] },
  goal: { kind: "at-most", value: most },
})

/** Measures what a project costs while nobody works on it. */
export const idleMemory: Benchmark = {
  name: "b22",
  title: "resident memory of the service, Temporal and its keeper",
  async measure({ log }) {
    await using project = await openServiceProject()
    await project.run("run", "Answer.")
    const idle = await measure(project, startSettlesMs, log)
    for (let started = 0; started < pausedSessions; started += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, () => project.run("run", "--pause-on-approval", "--detach", "Answer.")),
      )
    const paused = await measure(project, runsSettleMs, log)
    return {
      figures: [
        figureOf("idle", idle, 420),
        figureOf(`${pausedSessions} paused sessions, after five minutes`, paused, 450),
      ],
    }
  },
}
