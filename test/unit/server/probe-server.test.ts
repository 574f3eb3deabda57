import { once } from "node:events"
import { createServer as createHttp2Server } from "node:http2"
import { createServer, type Server } from "node:net"
import { afterEach, expect, test } from "vitest"
import { probeServer } from "../../../server/probe-server.ts"

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
}

const serve = ({ health, namespaceStatus }: Answers): Promise<string> =>
  listen(
    createHttp2Server().on("stream", (stream, headers) => {
      const isHealth = headers[":path"] === "/grpc.health.v1.Health/Check"
      stream.respond({ ":status": 200 }, { waitForTrailers: true })
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": isHealth ? "0" : namespaceStatus }))
      stream.end(isHealth ? Buffer.from([0, 0, 0, 0, health.length, ...health]) : Buffer.from([0, 0, 0, 0, 0]))
    }),
  )

test("a healthy server that has the namespace is ready", async () => {
  expect(await probeServer(await serve({ health: [8, 1], namespaceStatus: "0" }), "default", 5_000)).toBe(true)
})

test("a server that is up but not serving is not ready", async () => {
  expect(await probeServer(await serve({ health: [8, 2], namespaceStatus: "0" }), "default", 5_000)).toBe(false)
})

test("a server without the namespace is not ready", async () => {
  expect(await probeServer(await serve({ health: [8, 1], namespaceStatus: "5" }), "default", 5_000)).toBe(false)
})

test("a port where nobody listens is not ready", async () => {
  expect(await probeServer("127.0.0.1:1", "default", 5_000)).toBe(false)
})

test("a program that accepts and says nothing is given up", async () => {
  expect(await probeServer(await listen(createServer()), "default", 50)).toBe(false)
})
