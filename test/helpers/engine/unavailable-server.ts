import { once } from "node:events"
import { createServer } from "node:http2"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

const unavailable = "14"
const emptyMessage = Buffer.alloc(5)

/** Starts a server that accepts connections and is unavailable for every other request. */
export const startUnavailableServer = async () => {
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
