import { describe, expect, it } from "vitest"
import { awaitEngine, type EngineWait } from "../../../../mcp/engine/await-engine.ts"
import type { Engine, EngineAccess } from "../../../../mcp/engine-access.ts"

// Its members are not used here.
const engine = { client: {}, store: {} } as Engine

const accessWith = (over: Partial<EngineAccess>): EngineAccess => ({
  current: () => undefined,
  open: () => new Promise(() => undefined),
  progress: () => "building … 5 s",
  follow: () => () => undefined,
  ...over,
})

const waitWith = (over: Partial<EngineWait> = {}): EngineWait => ({
  signal: new AbortController().signal,
  progress: undefined,
  answerBy: Date.now() + 60_000,
  ...over,
})

describe("awaitEngine", () => {
  it("returns the open engine without a start", async () => {
    const access = accessWith({ current: () => engine, open: () => Promise.reject(new Error("not asked for")) })
    expect(await awaitEngine(access, waitWith())).toBe(engine)
  })

  it("reports the progress of the start when the call has to be answered", async () => {
    await expect(awaitEngine(accessWith({}), waitWith({ answerBy: Date.now() + 10 }))).rejects.toMatchObject({
      name: "EngineStarting",
      message: expect.stringMatching(/building … 5 s.*adjutant doctor --prepare/),
    })
  })

  it("passes the progress on while a client waits", async () => {
    const heard: string[] = []
    const opened = Promise.withResolvers<Engine>()
    const told = Promise.withResolvers<(line: string) => void>()
    const access = accessWith({
      open: () => opened.promise,
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

  it("ends when the call is given up", async () => {
    const abort = new AbortController()
    const waiting = awaitEngine(accessWith({}), waitWith({ signal: abort.signal }))
    abort.abort(new Error("enough"))
    await expect(waiting).rejects.toThrow("enough")
  })
})
