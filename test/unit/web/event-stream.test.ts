import { afterEach, expect, it, vi } from "vitest"
import { followStore } from "../../../web/api/event-stream.ts"

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it("continues after the last event when the connection breaks, so that none is missed", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] })
  vi.stubGlobal("localStorage", { getItem: () => null })
  const frame = (id: number) => `id: ${id}\nevent: run-started\ndata: {"id":${id},"session_id":"s1"}\n\n`
  const answers = [frame(7) + frame(8), `: cursor\nid: 12\n\n`, frame(13)]
  const paths: string[] = []
  const stop = new AbortController()
  vi.stubGlobal("fetch", async (path: string) => {
    paths.push(path)
    const text = answers.shift()
    if (text === undefined) throw new TypeError("no connection")
    return new Response(text)
  })
  const seen: number[] = []
  const { promise: isLost, resolve: onLost } = Promise.withResolvers<unknown>()
  const followed = followStore({
    ...{ signal: stop.signal, onLost, onOpen: () => undefined },
    onEvent: (event) => void seen.push(event.id),
  })
  while (answers.length > 0) await vi.advanceTimersByTimeAsync(1_000)
  await vi.advanceTimersByTimeAsync(1_000)
  await isLost
  stop.abort()
  await vi.advanceTimersByTimeAsync(1_000)
  await followed
  expect(seen).toEqual([7, 8, 13])
  expect(paths).toEqual(["/v1/events", "/v1/events?after=8", "/v1/events?after=12", "/v1/events?after=13"])
})
