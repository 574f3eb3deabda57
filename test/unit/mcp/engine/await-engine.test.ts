import { describe, expect, it } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { awaitEngine, type EngineWait } from "../../../../mcp/engine/await-engine.ts"
import type { Engine, EngineAccess } from "../../../../mcp/engine/engine-access.ts"
import { createStartWaitLimit } from "../../../../mcp/engine/start-wait-limit.ts"

// Its members are not used here.
const engine = { client: {}, store: {} } as Engine

const accessWith = (over: Partial<EngineAccess>): EngineAccess => ({
  current: () => undefined,
  open: () => new Promise(() => undefined),
  progress: () => "building … 5 s",
  follow: () => () => undefined,
  waitLimit: createStartWaitLimit(10),
  ...over,
})

const waitWith = (over: Partial<EngineWait> = {}): EngineWait => ({
  signal: new AbortController().signal,
  progress: undefined,
  isCancelled: () => false,
  ...over,
})

describe("awaitEngine", () => {
  it("returns the open engine without a start", async () => {
    const access = accessWith({ current: () => engine, open: () => Promise.reject(new Error("not asked for")) })
    expect(await awaitEngine(access, waitWith())).toBe(engine)
  })

  it("reports the progress of the start when the wait of a client without progress has ended", async () => {
    await expect(awaitEngine(accessWith({}), waitWith())).rejects.toMatchObject({
      code: "ENGINE_STARTING",
      message: expect.stringMatching(/building … 5 s.*adjutant doctor --prepare/),
    })
  })

  it("waits as long as it takes for a client with progress, and passes the progress on", async () => {
    const heard: string[] = []
    const opened = Promise.withResolvers<Engine>()
    const told = Promise.withResolvers<(line: string) => void>()
    const access = accessWith({
      open: () => opened.promise,
      waitLimit: createStartWaitLimit(0),
      follow: (listener) => {
        told.resolve(listener)
        return () => undefined
      },
    })
    const waiting = awaitEngine(access, waitWith({ progress: (line) => void heard.push(line) }))
    ;(await told.promise)("building … 6 s")
    opened.resolve(engine)
    expect(await waiting).toBe(engine)
    expect(heard).toEqual(["building … 6 s"])
  })

  it("turns a failed start into advice, and rethrows a bug", async () => {
    const refused = accessWith({ open: () => Promise.reject(new AdjutantError("temporal_unavailable", "no room.")) })
    await expect(awaitEngine(refused, waitWith())).rejects.toMatchObject({
      code: "ENGINE_UNAVAILABLE",
      message: expect.stringMatching(/could not be started: no room; run "adjutant doctor --prepare"/),
    })
    const other = new AdjutantError("engine_mismatch", "this store belongs to another Temporal")
    await expect(awaitEngine(accessWith({ open: () => Promise.reject(other) }), waitWith())).rejects.toMatchObject({
      code: "ENGINE_UNAVAILABLE",
      message: other.message,
    })
    const bug = new TypeError("a bug")
    await expect(awaitEngine(accessWith({ open: () => Promise.reject(bug) }), waitWith())).rejects.toBe(bug)
  })

  it("ends when the call is cancelled, and remembers how long that client waits", async () => {
    const waitLimit = createStartWaitLimit(60_000)
    const abort = new AbortController()
    const waiting = awaitEngine(
      accessWith({ waitLimit }),
      waitWith({ signal: abort.signal, progress: () => undefined, isCancelled: () => true }),
    )
    abort.abort(new Error("enough"))
    await expect(waiting).rejects.toThrow("enough")
    expect(waitLimit.limitMs({ getsProgress: true })).toBeLessThan(60_000)
  })
})

describe("createStartWaitLimit", () => {
  it("limits only calls of clients without progress, until one is cancelled", () => {
    const waitLimit = createStartWaitLimit(45_000)
    expect(waitLimit.limitMs({ getsProgress: true })).toBeUndefined()
    expect(waitLimit.limitMs({ getsProgress: false })).toBe(45_000)
    waitLimit.recordCancelled(60_000)
    expect(waitLimit.limitMs({ getsProgress: true })).toBe(45_000)
    waitLimit.recordCancelled(20_000)
    expect(waitLimit.limitMs({ getsProgress: true })).toBe(15_000)
    expect(waitLimit.limitMs({ getsProgress: false })).toBe(15_000)
  })
})
