import { once } from "node:events"
import { createServer as createHttp2Server } from "node:http2"
import { createServer, type Server } from "node:net"
import { afterEach, expect, test } from "vitest"
import { isDatabaseStuck, probeServer } from "../../../../server/process/probe-server.ts"

let server: Server | undefined
afterEach(() => server?.close())

const listen = async (listener: Server): Promise<string> => {
  server = listener
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const address = listener.address()
  if (address === null || typeof address === "string") throw new Error("not a TCP server")
  return `127.0.0.1:${address.port}`
}

interface Answers {
  readonly health: readonly number[]
  readonly namespaceStatus: string
  readonly reason?: string
}

const serve = ({ health, namespaceStatus, reason }: Answers): Promise<string> =>
  listen(
    createHttp2Server().on("stream", (stream, headers) => {
      const isHealth = headers[":path"] === "/grpc.health.v1.Health/Check"
      stream.respond({ ":status": 200 }, { waitForTrailers: true })
      const trailers = { "grpc-status": namespaceStatus, ...(reason === undefined ? {} : { "grpc-message": reason }) }
      stream.on("wantTrailers", () => stream.sendTrailers(isHealth ? { "grpc-status": "0" } : trailers))
      stream.end(isHealth ? Buffer.from([0, 0, 0, 0, health.length, ...health]) : Buffer.from([0, 0, 0, 0, 0]))
    }),
  )

test("a healthy server with the namespace is ready", async () => {
  expect(await probeServer(await serve({ health: [8, 1], namespaceStatus: "0" }), "default", 5_000)).toBe(true)
})

test("a server that is up but not serving is not ready", async () => {
  expect(await probeServer(await serve({ health: [8, 2], namespaceStatus: "0" }), "default", 5_000)).toBe(false)
})

test("a server without the namespace is not ready", async () => {
  expect(await probeServer(await serve({ health: [8, 1], namespaceStatus: "5" }), "default", 5_000)).toBe(false)
})

test("a port without a listener is not ready", async () => {
  expect(await probeServer("127.0.0.1:1", "default", 5_000)).toBe(false)
})

test("the probe gives up on a program that accepts and never answers", async () => {
  expect(await probeServer(await listen(createServer()), "default", 50)).toBe(false)
})

test.each([
  ["ListNamespaces operation failed. Error: interrupted (9)", true],
  ["ListNamespaces operation failed. Error: interrupted%20(9)", true],
  ["database is locked", false],
])("reports for a server that answers with %j whether its database is stuck: %j", async (reason, isStuck) => {
  const address = await serve({ health: [8, 1], namespaceStatus: "14", reason })
  expect(await isDatabaseStuck(address, 5_000)).toBe(isStuck)
})

test("a server that lists its namespaces, or does not answer, has no stuck database", async () => {
  expect(await isDatabaseStuck(await serve({ health: [8, 1], namespaceStatus: "0" }), 5_000)).toBe(false)
  expect(await isDatabaseStuck("127.0.0.1:1", 5_000)).toBe(false)
})
