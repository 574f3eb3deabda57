import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import pg from "pg"
import { onTestFinished } from "vitest"

export interface Pooler {
  readonly url: string
  /** The texts of all simple statements, in order. */
  readonly statements: readonly string[]
}

interface ServerConnection {
  readonly stream: Socket
  client: Socket | undefined
  /** Statements without an answer. */
  open: number
}

const sslRequest = 80_877_103

/** Splits a stream into messages: a type, a length and the rest; the first message of a client has no type. */
const splitMessages = (onMessage: (type: string, message: Buffer) => void, firstHasType: boolean) => {
  let rest = Buffer.alloc(0)
  let hasType = firstHasType
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const start = hasType ? 1 : 0
      if (rest.length < start + 4) return
      const end = start + rest.readInt32BE(start)
      if (rest.length < end) return
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      const isSsl = !hasType && message.readInt32BE(4) === sslRequest
      const type = hasType ? String.fromCharCode(message[0] ?? 0) : isSsl ? "ssl" : "startup"
      hasType ||= !isSsl
      onMessage(type, message)
    }
  }
}

/** What a pooler says of itself when a client connects: that it is in, a process that no server has, and that it may ask. */
const welcome = (key: number): Buffer => {
  const bytes = Buffer.from("R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\0\0\0\0\x01Z\0\0\0\x05I", "latin1")
  bytes.writeInt32BE(key, 14)
  return bytes
}

const connectTo = async (server: string): Promise<ServerConnection> => {
  const client = new pg.Client({ connectionString: server })
  client.on("error", () => undefined)
  await client.connect()
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } }
  connection.stream.removeAllListeners("data")
  return { stream: connection.stream, client: undefined, open: 0 }
}

/** Starts a pooler with two connections to a server, which it gives to clients for a transaction or for as long as they are connected. */
export const startPooler = async (server: string, mode: "transaction" | "session"): Promise<Pooler> => {
  const statements: string[] = []
  const connections = await Promise.all([connectTo(server), connectTo(server)])
  const idle = [...connections]
  for (const connection of connections) {
    const read = splitMessages((type, message) => {
      connection.client?.write(message)
      if (type !== "Z") return
      connection.open -= 1
      if (mode === "session" || connection.open > 0 || message.at(-1) !== "I".charCodeAt(0)) return
      connection.client = undefined
      idle.unshift(connection)
    }, true)
    connection.stream.on("data", read)
  }
  const serve = (client: Socket): void => {
    const read = splitMessages((type, message) => {
      if (type === "ssl") return void client.write("N")
      if (type === "startup") return void client.write(welcome(client.remotePort ?? 0))
      if (type === "X") return
      const linked = connections.find((connection) => connection.client === client) ?? idle.shift()
      if (linked === undefined) return void client.destroy()
      linked.client = client
      if (type === "Q" || type === "S") linked.open += 1
      if (type === "Q") statements.push(message.toString("utf8", 5, message.length - 1))
      linked.stream.write(message)
    }, false)
    client.on("data", read)
    client.on("error", () => undefined)
    client.on("close", () => {
      const linked = connections.find((connection) => connection.client === client)
      if (linked === undefined) return
      linked.client = undefined
      idle.unshift(linked)
    })
  }
  const listener = createServer(serve).listen(0, "127.0.0.1")
  await once(listener, "listening")
  onTestFinished(() => {
    listener.close()
    for (const { stream } of connections) stream.destroy()
  })
  const address = listener.address()
  if (typeof address !== "object" || address === null) throw new Error("the pooler has no port")
  const url = new URL(server)
  url.host = `127.0.0.1:${address.port}`
  return { url: url.href, statements }
}
