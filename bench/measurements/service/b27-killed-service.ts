import type { Benchmark, Figure } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { shown } from "../../figures/results-table.ts"
import { startAdjutant } from "../../rig/adjutant-process.ts"
import { openServiceProject, type ServiceProject } from "../../rig/service-project.ts"
import { openStore } from "../../../store/open-store.ts"
import type { SessionEvent } from "../../../contracts/event.ts"
import type { Store } from "../../../store/store.ts"

/** The first turn is a call that the second one waits for; the kill comes in one of both. */
const script = `turns:
  - reply: { tool_calls: [{ id: call_1, name: Bash, arguments: { command: "sleep 5" } }] }
  - reply: { text: Done., delay_ms: 5000 }
`

type Moment = "model" | "tool"

const isMoment = ({ type, step }: SessionEvent, moment: Moment): boolean =>
  moment === "tool" ? type === "tool-started" : type === "step-started" && step === 2

const newestSession = async (store: Store, known: ReadonlySet<string>): Promise<string> => {
  for (;;) {
    const { items } = await store.sessions.list({ limit: 1 })
    const id = items[0]?.id
    if (id !== undefined && !known.has(id)) return id
  }
}

/** Kills the service while a command waits for its run, and measures the time until the session has its next event. */
const killOnce = async (project: ServiceProject, store: Store, moment: Moment): Promise<number> => {
  const known = new Set((await store.sessions.list({ limit: 100 })).items.map(({ id }) => id))
  const { cwd, env, launcher } = project
  const command = startAdjutant({ args: ["run", "--unconfined", "Work."], cwd, env, launcher })
  const stop = new AbortController()
  try {
    const id = await newestSession(store, known)
    const events = store.events.follow(id, { after: 0, signal: stop.signal })[Symbol.asyncIterator]()
    for (;;) {
      const { value, done } = await events.next()
      if (done === true) throw new Error("the event log ended")
      if (isMoment(value, moment)) break
    }
    const { pid } = await project.service()
    const tookMs = await elapsedMs(async () => {
      process.kill(pid, "SIGKILL")
      await events.next()
    })
    const code = await command.ended
    if (code !== 0) throw new Error(`the command ended with ${code}: ${command.stderr()}`)
    return tookMs / 1_000
  } finally {
    stop.abort()
    command.kill("SIGKILL")
  }
}

/** Measures how soon a session moves again after its service was killed. */
export const killedService: Benchmark = {
  name: "b27",
  title: "SIGKILL of the service while a command waits, until the session moves again",
  async measure(context) {
    await using project = await openServiceProject(script)
    await project.run("service", "start")
    const store = await openStore({ url: "sqlite:", dataDir: project.dataDir })
    try {
      const figures: Figure[] = []
      for (const moment of ["model", "tool"] as const) {
        const values: number[] = []
        for (let round = 0; round < context.pairs(3); round += 1) {
          values.push(await killOnce(project, store, moment))
          context.log(`in a ${moment} call: ${shown(values.at(-1) ?? 0)} s`)
        }
        figures.push({ label: `in a ${moment} call`, unit: "s", values, goal: { kind: "at-most", value: 2.5 } })
      }
      return { figures }
    } finally {
      await store.close()
    }
  },
}
