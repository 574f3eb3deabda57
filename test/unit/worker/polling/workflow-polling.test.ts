import type { Worker } from "@temporalio/worker"
import { afterEach, expect, it, vi } from "vitest"
import { eventually } from "../../../helpers/eventually.ts"
import { pollWorkflows, type WorkflowPolling } from "../../../../worker/polling/workflow-polling.ts"

let polling: WorkflowPolling | undefined

afterEach(() => polling?.stop())

const createFakeWorker = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let state: ReturnType<Worker["getState"]> = "INITIALIZED"
  const fake: Pick<Worker, "run" | "shutdown" | "getState"> = {
    run: () => {
      state = "RUNNING"
      return promise
    },
    shutdown: () => {
      state = "STOPPED"
      resolve()
    },
    getState: () => state,
  }
  return { worker: fake as Worker, fail: reject, state: () => state }
}

const open = async (shouldPoll: () => Promise<boolean>) => {
  const workers: ReturnType<typeof createFakeWorker>[] = []
  const warn = vi.fn<(details: object, message: string) => void>()
  const create = async (): Promise<Worker> => {
    const made = createFakeWorker()
    workers.push(made)
    return made.worker
  }
  polling = await pollWorkflows({ create, shouldPoll, everyMs: 1, logger: { warn } as never })
  return { workers, states: () => workers.map(({ state }) => state()), warn, polling }
}

it("polls while it should, and again later", async () => {
  let should = false
  const { states, polling: opened } = await open(async () => should)
  expect(states()).toEqual([])
  should = true
  await eventually(() => states().join() === "RUNNING")
  should = false
  await eventually(() => states().join() === "STOPPED")
  should = true
  await eventually(() => states().join() === "STOPPED,RUNNING")
  await opened.stop()
  expect(states()).toEqual(["STOPPED", "STOPPED"])
})

it("changes nothing while it cannot find out whether it should", async () => {
  const problems: Error[] = []
  const { states, warn } = await open(async () => {
    if (problems[0] !== undefined) throw problems[0]
    return true
  })
  problems.push(new Error("unavailable"))
  await eventually(() => warn.mock.calls.length > 1)
  expect(states()).toEqual(["RUNNING"])
})

it("rejects where the first answer fails", async () => {
  await expect(open(() => Promise.reject(new Error("too old")))).rejects.toThrow("too old")
})

it("fails when its worker fails", async () => {
  const { workers, polling: opened } = await open(async () => true)
  workers[0]?.fail(new Error("the connection is lost"))
  await expect(opened.failed).rejects.toThrow("the connection is lost")
})

it("leaves no worker behind that is created while it stops", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = 0
  const { states, polling: opened } = await open(async () => {
    asked += 1
    if (asked > 1) await promise
    return asked > 1
  })
  await eventually(() => asked > 1)
  const stopping = opened.stop()
  resolve()
  await stopping
  expect(states()).toEqual([])
})
