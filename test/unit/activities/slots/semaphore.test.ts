import { CancelledFailure } from "@temporalio/activity"
import { describe, expect, it } from "vitest"
import { createSemaphore } from "../../../../activities/slots/semaphore.ts"

const never = new AbortController().signal

/** Returns a semaphore, and how to begin and end work with a name. `running`: what runs now, in the order in which it began. */
const open = (limit: number) => {
  const semaphore = createSemaphore(limit)
  const running: string[] = []
  const ends = new Map<string, () => void>()
  return {
    running,
    begin: (name: string, bytes: number, signal = never): Promise<string> =>
      semaphore.hold(bytes, signal, async () => {
        running.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
        running.splice(running.indexOf(name), 1)
        return name
      }),
    end: (name: string): void => ends.get(name)?.(),
  }
}

describe("the bytes that work has in memory", () => {
  it("are at most the limit: further work waits, in the order of the calls", async () => {
    const { begin, end, running } = open(10)
    const [a, b, c, d] = [begin("a", 6), begin("b", 5), begin("c", 1), begin("d", 0)]
    await Promise.resolve()
    // c would fit, but b came before it; d needs nothing.
    expect(running.toSorted()).toEqual(["a", "d"])
    end("a")
    await a
    await expect.poll(() => running.toSorted()).toEqual(["b", "c", "d"])
    for (const name of ["b", "c", "d"]) end(name)
    expect(await Promise.all([b, c, d])).toEqual(["b", "c", "d"])
  })

  it("are all of them for work with more than the limit, which runs alone", async () => {
    const { begin, end, running } = open(10)
    const large = begin("large", 99)
    const small = begin("small", 1)
    await expect.poll(() => running).toEqual(["large"])
    end("large")
    await large
    await expect.poll(() => running).toEqual(["small"])
    end("small")
    await small
  })

  it("are free again when work fails, or is cancelled while it waits", async () => {
    const semaphore = createSemaphore(10)
    await expect(semaphore.hold(10, never, () => Promise.reject(new Error("refused")))).rejects.toThrow("refused")
    const { begin, end, running } = open(10)
    const controller = new AbortController()
    const a = begin("a", 10)
    const b = begin("b", 10, controller.signal)
    const c = begin("c", 3)
    controller.abort()
    await expect(b).rejects.toBeInstanceOf(CancelledFailure)
    await expect(begin("d", 1, controller.signal)).rejects.toBeInstanceOf(CancelledFailure)
    end("a")
    await a
    await expect.poll(() => running).toEqual(["c"])
    end("c")
    await c
    expect(await semaphore.hold(10, never, async () => "free")).toBe("free")
  })
})
