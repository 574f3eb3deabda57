import { once } from "node:events"
import { createServer } from "node:http2"
import type { AddressInfo } from "node:net"
import { isGrpcServiceError } from "@temporalio/client"
import { expect, it, onTestFinished } from "vitest"
import { openConnection } from "../../../server/connection/open-connection.ts"

const unavailable = "14"
const emptyMessage = Buffer.alloc(5)

/** Starts a server that accepts connections and is unavailable for every other request. */
const startUnavailableServer = async () => {
  const asked = Promise.withResolvers<void>()
  const server = createServer().on("stream", (stream, headers) => {
    const isGreeting = headers[":path"]?.endsWith("/GetSystemInfo") === true
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true })
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": isGreeting ? "0" : unavailable }))
    stream.end(isGreeting ? emptyMessage : undefined)
    if (!isGreeting) asked.resolve()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, asked: asked.promise }
}

it("a call that is retried when its connection closes fails, and does not end the process", async () => {
  const server = await startUnavailableServer()
  const connection = await openConnection({ address: server.address, metadata: { token: "secret" } })
  const failed = connection.workflowService.describeNamespace({ namespace: "default" }).catch((error: unknown) => error)
  await server.asked
  await connection.close()
  const error = await failed
  expect(error).toMatchObject({ message: expect.stringContaining("the connection to Temporal was closed") })
  if (!isGrpcServiceError(error)) throw new Error("the call failed in another way")
  expect(error.metadata.getMap()).toEqual({})
})

it("a call on a connection that is closed is refused", async () => {
  const server = await startUnavailableServer()
  const connection = await openConnection({ address: server.address })
  await connection.close()
  await expect(connection.workflowService.describeNamespace({ namespace: "default" })).rejects.toThrow("shut down")
})
