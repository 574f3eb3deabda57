import { expect, it } from "vitest"
import { createProgramWorker } from "../../../service/program-worker.ts"

/** The worker of a program with a service that ends, and a worker that fails, when the test wants it. */
const start = (close: () => Promise<void> = async () => undefined) => {
  const ended = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<never>()
  const logged: string[] = []
  let closed = 0
  const inner = { identity: "w", drain: async () => undefined, stop: async () => undefined, failed: failed.promise }
  const worker = createProgramWorker({
    worker: inner,
    ended: ended.promise,
    close: async () => {
      closed += 1
      await close()
    },
    logger: { error: (_: unknown, message?: string) => void logged.push(message ?? "") },
  })
  worker.failed.catch(() => undefined)
  return { worker, end: ended.resolve, fail: failed.reject, closed: () => closed, logged }
}

it("closes everything when it is stopped, and when the service is to end", async () => {
  const stopped = start()
  await stopped.worker.stop()
  await stopped.worker.stopped
  const ended = start()
  ended.end()
  await ended.worker.stopped
  expect([stopped.closed(), ended.closed()]).toEqual([1, 1])
})

it("is the service no longer when its worker has failed, and says so after that", async () => {
  const { worker, fail, closed } = start()
  fail(new Error("the engine is gone"))
  await expect(worker.failed).rejects.toThrow("the engine is gone")
  expect(closed()).toBe(1)
  await worker.stopped
})

it("has stopped also if something of it could not be closed", async () => {
  const broken = () => Promise.reject(new Error("the store is gone"))
  const stopped = start(broken)
  await expect(stopped.worker.stop()).rejects.toThrow("the store is gone")
  await stopped.worker.stopped
  const ended = start(broken)
  ended.end()
  await ended.worker.stopped
  await expect.poll(() => ended.logged).toEqual(["the worker could not stop"])
})
