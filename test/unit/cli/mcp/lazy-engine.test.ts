import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { createLazyEngine, type OpenClientHost } from "../../../../cli/mcp/lazy-engine.ts"
import type { SessionHost } from "../../../../cli/host/session-host.ts"

const hostWith = (over: object = {}) => {
  const closed: string[] = []
  const host = {
    client: {},
    loaded: { dataDir: "/nowhere" },
    store: {},
    handOver: async () => undefined,
    close: async () => void closed.push("closed"),
    ...over,
  }
  // Only what the engine uses.
  return { host: host as unknown as SessionHost, closed }
}

const opening = (...hosts: readonly (SessionHost | Error)[]) => {
  const seen: Parameters<OpenClientHost>[0][] = []
  const open: OpenClientHost = async (options) => {
    const next = hosts[seen.length]
    seen.push(options)
    if (next === undefined || next instanceof Error) throw next ?? new Error("opened too often")
    return next
  }
  return { open, seen }
}

describe("createLazyEngine", () => {
  it("opens nothing by itself, and opens once for simultaneous requests", async () => {
    const { host } = hostWith()
    const { open, seen } = opening(host)
    const engine = createLazyEngine(open, 1)
    expect([engine.current(), seen.length]).toEqual([undefined, 0])
    const [first, second] = await Promise.all([engine.open(), engine.open()])
    expect(first).toBe(second)
    expect(engine.current()).toBe(first)
    expect(await engine.open()).toBe(first)
    expect(seen).toHaveLength(1)
  })

  it("tries again after a failed start, even if no service could start", async () => {
    const lame = hostWith({ handOver: () => Promise.reject(new Error("no service")) })
    const { open, seen } = opening(new Error("no server"), lame.host, hostWith().host)
    const engine = createLazyEngine(open, 1)
    await expect(engine.open()).rejects.toThrow("no server")
    await expect(engine.open()).rejects.toThrow("no service")
    expect(lame.closed).toEqual(["closed"])
    expect(await engine.open()).toBe(engine.current())
    expect(seen).toHaveLength(3)
  })

  it("reports the progress of a start to everyone who waits, and keeps the last line while it continues", async () => {
    const heard: string[] = []
    const { promise, resolve } = Promise.withResolvers<SessionHost>()
    const engine = createLazyEngine(async ({ onProgress }) => {
      onProgress?.("building … 5 s")
      return promise
    }, 1)
    const stop = engine.follow((line) => void heard.push(line))
    const starting = engine.open()
    expect(engine.progress()).toBe("building … 5 s")
    stop()
    resolve(hostWith().host)
    await starting
    expect(heard).toEqual(["building … 5 s"])
    expect(engine.progress()).toBeUndefined()
  })

  it("closes what it opened, and stops a start that is under way", async () => {
    const { host, closed } = hostWith()
    const opened = createLazyEngine(opening(host).open, 1)
    await opened.open()
    await opened.close()
    expect(closed).toEqual(["closed"])
    const slow = createLazyEngine(async ({ signal }) => {
      if (signal !== undefined) await once(signal, "abort")
      throw new Error("the server was not waited for")
    }, 1)
    const starting = slow.open()
    await Promise.all([expect(starting).rejects.toThrow("not waited for"), slow.close()])
  })

  it("closes a host that was opened too late", async () => {
    const late = hostWith()
    const { promise, resolve } = Promise.withResolvers<SessionHost>()
    const engine = createLazyEngine(() => promise, 1)
    const starting = engine.open()
    starting.catch(() => undefined)
    const closing = engine.close()
    resolve(late.host)
    await closing
    expect(late.closed).toEqual(["closed"])
    await expect(starting).rejects.toThrow("has disconnected")
  })
})
