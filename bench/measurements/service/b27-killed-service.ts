import type { Benchmark, Figure } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { shown } from "../../figures/results-table.ts"
import { startAdjutant } from "../../rig/adjutant-process.ts"
import { openServiceProject, type ServiceProject } from "../../rig/service-project.ts"
import { startWaitingProvider, type WaitingProvider, waitingPrompts } from "../../rig/waiting-provider.ts"
import { openStore } from "../../../store/open-store.ts"
import type { Store } from "../../../store/store.ts"

type Moment = keyof typeof waitingPrompts

const newestSession = async (store: Store, known: ReadonlySet<string>): Promise<string> => {
  for (;;) {
    const { items } = await store.sessions.list({ limit: 1 })
    const id = items[0]?.id
    if (id !== undefined && !known.has(id)) return id
  }
}

interface Parts {
  readonly project: ServiceProject
  readonly store: Store
  readonly provider: WaitingProvider
}

/** Kills the service while a command waits for its run, and measures the time until the session has its next event. */
const killOnce = async ({ project, store, provider }: Parts, moment: Moment): Promise<number> => {
  const known = new Set((await store.sessions.list({ limit: 100 })).items.map(({ id }) => id))
  const { cwd, env, launcher } = project
  const held = moment === "model" ? provider.held() : Promise.resolve()
  const args = ["run", "--unconfined", waitingPrompts[moment]]
  const command = startAdjutant({ args, cwd, env, launcher })
  const stop = new AbortController()
  try {
    const id = await newestSession(store, known)
    const events = store.events.follow(id, { after: 0, signal: stop.signal })[Symbol.asyncIterator]()
    for (;;) {
      const { value, done } = await events.next()
      if (done === true) throw new Error("the event log ended")
      if (value.type === (moment === "model" ? "step-started" : "tool-started")) break
    }
    await held
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
    // A service that ends on purpose ends the count of those that died, after three of which none is started for a while.
    await project.run("service", "stop")
  }
}

/** Measures how soon a session moves again after its service was killed. A model call that is made again is answered at once. */
export const killedService: Benchmark = {
  name: "b27",
  title: "SIGKILL of the service while a command waits, until the session moves again",
  async measure(context) {
    const provider = await startWaitingProvider()
    const { baseUrl } = provider
    await using project = await openServiceProject({ provider: "openai-compatible", model: "waits", baseUrl })
    // A service that has run for a while has kept what it compiled, and so does one that ends.
    await project.run("service", "start")
    await project.run("service", "stop")
    const store = await openStore({ url: "sqlite:", dataDir: project.dataDir })
    try {
      const figures: Figure[] = []
      for (const moment of ["model", "tool"] as const) {
        const values: number[] = []
        for (let round = 0; round < context.pairs(3); round += 1) {
          values.push(await killOnce({ project, store, provider }, moment))
          context.log(`in a ${moment} call: ${shown(values.at(-1) ?? 0)} s`)
        }
        figures.push({ label: `in a ${moment} call`, unit: "s", values, goal: { kind: "at-most", value: 2.5 } })
      }
      return { figures }
    } finally {
      await store.close()
      await provider.close()
    }
  },
}
