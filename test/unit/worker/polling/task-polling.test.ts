import type { Worker } from "@temporalio/worker"
import { afterEach, expect, it, vi } from "vitest"
import { eventually } from "../../../helpers/eventually.ts"
import { type Generation, pollTasks, type TaskPolling } from "../../../../worker/polling/task-polling.ts"

let polling: TaskPolling | undefined

afterEach(() => polling?.stop())

const createFakeWorker = ({ staysBusy }: { readonly staysBusy: boolean }) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let state: ReturnType<Worker["getState"]> = "INITIALIZED"
  const fake: Pick<Worker, "run" | "shutdown" | "getState"> = {
    run: () => {
      state = "RUNNING"
      return promise
    },
    shutdown: () => {
      state = staysBusy ? "STOPPING" : "STOPPED"
      if (!staysBusy) resolve()
    },
    getState: () => state,
  }
  const finish = (): void => {
    state = "STOPPED"
    resolve()
  }
  return { worker: fake as Worker, fail: reject, finish, state: () => state }
}

const open = async (generation: () => Promise<Generation>, { staysBusy = false } = {}) => {
  const workers: ReturnType<typeof createFakeWorker>[] = []
  const warn = vi.fn<(details: object, message: string) => void>()
  const create = async (): Promise<Worker> => {
    const made = createFakeWorker({ staysBusy })
    workers.push(made)
    return made.worker
  }
  polling = await pollTasks({ create, generation, everyMs: 1, logger: { warn } as never })
  return { workers, states: () => workers.map(({ state }) => state()), warn, polling }
}

it("polls while it should, and again later", async () => {
  let generation: Generation
  const { states, polling: opened } = await open(async () => generation)
  expect(states()).toEqual([])
  generation = 1
  await eventually(() => states().join() === "RUNNING")
  generation = undefined
  await eventually(() => states().join() === "STOPPED")
  generation = 1
  await eventually(() => states().join() === "STOPPED,RUNNING")
  await opened.stop()
  expect(states()).toEqual(["STOPPED", "STOPPED"])
})

it("replaces the worker at once when the generation changes, and waits at its end for tasks of both", async () => {
  let generation = 1
  const { workers, states, polling: opened } = await open(async () => generation, { staysBusy: true })
  generation = 2
  await eventually(() => states().join() === "STOPPING,RUNNING")
  let isStopped = false
  const stopping = opened.stop().then(() => (isStopped = true))
  expect(states()).toEqual(["STOPPING", "STOPPING"])
  workers[1]?.finish()
  await workers[1]?.worker.run()
  expect(isStopped).toBe(false)
  workers[0]?.finish()
  await stopping
})

it("changes nothing while it cannot find out whether it should, and says so once", async () => {
  const problems: Error[] = []
  let asked = 0
  const { states, warn } = await open(async () => {
    asked += 1
    if (problems[0] !== undefined) throw problems[0]
    return 1
  })
  problems.push(new Error("unavailable"))
  const before = asked
  await eventually(() => asked > before + 3)
  expect(states()).toEqual(["RUNNING"])
  expect(warn).toHaveBeenCalledTimes(1)
})

it("rejects where the first answer fails", async () => {
  await expect(open(() => Promise.reject(new Error("too old")))).rejects.toThrow("too old")
})

it("fails when its worker fails", async () => {
  const { workers, polling: opened } = await open(async () => 1)
  workers[0]?.fail(new Error("the connection is lost"))
  await expect(opened.failed).rejects.toThrow("the connection is lost")
})

it("leaves no worker behind that is created while it stops", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = 0
  const { states, polling: opened } = await open(async () => {
    asked += 1
    if (asked > 1) await promise
    return asked > 1 ? 1 : undefined
  })
  await eventually(() => asked > 1)
  const stopping = opened.stop()
  resolve()
  await stopping
  expect(states()).toEqual([])
})
