import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type RequestListener, type Server } from "node:http"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { overSocket } from "../../../network/over-socket.ts"
import { eventually } from "../../helpers/eventually.ts"

let folder: string
let server: Server
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-socket-"))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

const serve = async (answer: RequestListener): Promise<string> => {
  const socket = path.join(folder, "socket")
  server = createServer(answer)
  await once(server.listen(socket), "listening")
  return socket
}

const failureOf = (action: Promise<unknown>): Promise<unknown> => action.catch((error: unknown) => error)

it("sends a request with its body, and returns the answer", async () => {
  const socket = await serve((request, response) => {
    response.writeHead(request.method === "PUT" ? 201 : 500, { "retry-after": "3" })
    response.write(`${request.url} ${request.headers.host} ${String(request.headers["x-name"])} `)
    request.pipe(response)
  })
  const answer = await overSocket(socket, "http://localhost/v1/agents?a=b%20c", {
    method: "PUT",
    headers: { "x-name": "value" },
    body: "né",
  })
  expect([answer.status, answer.ok, answer.headers.get("Retry-After"), answer.headers.get("x-other")]).toEqual([
    201,
    true,
    "3",
    null,
  ])
  expect(await answer.text()).toBe("/v1/agents?a=b%20c localhost value né")
  expect((await overSocket(socket, "http://localhost/")).ok).toBe(false)
})

it("uses one connection for requests that follow each other", async () => {
  let connections = 0
  const socket = await serve((_request, response) => response.end("{}"))
  server.on("connection", () => (connections += 1))
  for (let call = 0; call < 3; call += 1) await (await overSocket(socket, "http://localhost/")).json()
  expect(connections).toBe(1)
})

it("closes a connection that is not used any more, and none that waits for an answer", async () => {
  const socket = await serve((request, response) => {
    if (request.url === "/quick") response.end("{}")
  })
  server.keepAliveTimeout = 0
  const closed = new Set<string>()
  server.on("request", ({ url = "", socket: connection }) => connection.once("close", () => closed.add(url)))
  const stop = new AbortController()
  const waits = failureOf(overSocket(socket, "http://localhost/slow", { signal: stop.signal }))
  await (await overSocket(socket, "http://localhost/quick")).json()
  await eventually(() => closed.has("/quick"))
  expect(closed.has("/slow")).toBe(false)
  stop.abort(new Error("enough"))
  expect(await waits).toMatchObject({ message: "enough" })
})

it("fails as `fetch` does if nothing listens, and with the reason of the signal", async () => {
  const socket = await serve((_request, response) => void response.writeHead(200).write("part"))
  expect(await failureOf(overSocket(`${socket}.none`, "http://localhost/"))).toMatchObject({
    name: "TypeError",
    cause: { code: "ENOENT" },
  })
  const reason = new Error("enough")
  expect(await failureOf(overSocket(socket, "http://localhost/", { signal: AbortSignal.abort(reason) }))).toBe(reason)
  const stop = new AbortController()
  const answer = await overSocket(socket, "http://localhost/", { signal: stop.signal })
  const whole = failureOf(answer.text())
  stop.abort(reason)
  expect(await whole).toBe(reason)
})

it("yields the pieces of a body, and fails if the connection breaks before its end", async () => {
  const socket = await serve((_request, response) => {
    response.writeHead(200).write("first")
    setImmediate(() => response.socket?.destroy())
  })
  const { body } = await overSocket(socket, "http://localhost/")
  const pieces: string[] = []
  const read = async (): Promise<void> => {
    for await (const piece of body ?? []) pieces.push(Buffer.from(piece).toString("utf8"))
  }
  expect(await failureOf(read())).toMatchObject({ name: "TypeError", message: "terminated" })
  expect(pieces).toEqual(["first"])
})
