import { chmodSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { json } from "node:stream/consumers"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import {
  attachPath,
  type PageLink,
  type ServiceStatus,
  type StopService,
  type StopServiceAnswer,
  stopServiceSchema,
} from "../contracts/service/service-status.ts"
import { mcpProtocol } from "../contracts/service/mcp-connection.ts"
import { commandHeader, type TreeRegistration, treeRegistrationSchema } from "../contracts/service/tree-registration.ts"

/** What the socket answers. The caller is this user, which the modes of the socket and its folder ensure. */
export interface SocketRoutes {
  status(): Promise<Omit<ServiceStatus, "connections">>
  /** Returns whether the service is to end. `others`: connections of other commands. */
  mayStop(request: StopService, others: number): Promise<StopServiceAnswer>
  stop(request: StopService): void
  /** Takes what a command brings for a tree, and returns the id of its root. */
  register(registration: TreeRegistration): Promise<string>
  /** Returns a new link to the page. */
  pageLink(): PageLink
  /** Every other request: the HTTP API. */
  answer(request: IncomingMessage, response: ServerResponse): void
}

export interface ServedSocket {
  /** Answers requests from now on. Until then, the service starts: requests are refused, and MCP clients are served. */
  answerWith(routes: SocketRoutes): void
  /** Open connections. */
  connections(): number
  /** Accepts no new connection, lets accepted requests finish within the time, and closes the rest. */
  close(graceMs: number): Promise<void>
}

/** Answers with a document. */
export const sendJson = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const stop = async (
  request: IncomingMessage,
  response: ServerResponse,
  { mayStop, stop: end, others }: Pick<SocketRoutes, "mayStop" | "stop"> & { readonly others: number },
): Promise<void> => {
  const wanted = stopServiceSchema.safeParse(await json(request).catch(() => undefined))
  if (!wanted.success)
    return sendJson(response, 400, { code: "invalid_argument", error: "this service expects other fields of a stop" })
  try {
    const answer = await mayStop(wanted.data, others)
    if (answer.stopping) response.once("close", () => end(wanted.data))
    sendJson(response, 202, answer)
  } catch {
    sendJson(response, 503, { code: "internal_error", error: "the state of the service cannot be read" })
  }
}

const register = async (
  request: IncomingMessage,
  response: ServerResponse,
  routes: Pick<SocketRoutes, "register">,
): Promise<void> => {
  const registration = treeRegistrationSchema.safeParse(await json(request).catch(() => undefined))
  if (!registration.success)
    return sendJson(response, 400, { code: "invalid_argument", error: "this service expects other fields of a task" })
  try {
    sendJson(response, 200, { root_id: await routes.register(registration.data) })
  } catch (error) {
    const { code, message } = isAdjutantError(error)
      ? error
      : { code: "internal_error", message: "the configuration could not be read" }
    sendJson(response, 400, { code, error: message })
  }
}

const starting = { code: "service_unavailable", error: "the service starts" } as const

const answerRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  { routes, commands }: { readonly routes: SocketRoutes; readonly commands: ReadonlyMap<Socket, string | undefined> },
): void => {
  const { socket, headers } = request
  const own = headers[commandHeader]
  const others = [...commands].filter(
    ([each, command]) => each !== socket && (own === undefined || command !== own),
  ).length
  switch (`${request.method} ${request.url}`) {
    case "GET /service":
      return void routes.status().then(
        (status) => sendJson(response, 200, { ...status, connections: commands.size }),
        () => sendJson(response, 503, { code: "internal_error", error: "the state of the service cannot be read" }),
      )
    case "POST /service/stop":
      return void stop(request, response, { ...routes, others })
    case "POST /service/page":
      return sendJson(response, 200, routes.pageLink())
    case "POST /service/trees":
      return void register(request, response, routes)
    default:
      return routes.answer(request, response)
  }
}

/** Lets a connection speak MCP, if its client asks for that. */
const changeProtocol = (
  { headers }: IncomingMessage,
  stream: Duplex,
  { head, serveMcp }: { readonly head: Buffer; readonly serveMcp: (stream: Duplex) => void },
): void => {
  if (headers.upgrade !== mcpProtocol) return void stream.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
  stream.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${mcpProtocol}\r\n\r\n`)
  if (head.length > 0) stream.unshift(head)
  serveMcp(stream)
}

/** Listens on a unix socket. Only the holder of the lock may call this: a socket that a dead service has left is replaced. */
export const serveSocket = async (path: string, serveMcp: (stream: Duplex) => void): Promise<ServedSocket> => {
  let routes: SocketRoutes | undefined
  /** The command of each open connection; undefined: it has named none. */
  const commands = new Map<Socket, string | undefined>()
  const changed = new Set<Duplex>()
  /** Processes that work in addition to this service: it stays as long as they do. */
  const attached = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const command = request.headers[commandHeader]
    if (typeof command === "string") commands.set(request.socket, command)
    if (request.url === attachPath) {
      attached.add(response)
      response.once("close", () => attached.delete(response))
      response.writeHead(200).flushHeaders()
    } else if (routes === undefined) sendJson(response, 503, starting)
    else answerRequest(request, response, { routes, commands })
  })
  server.on("upgrade", (request, stream, head) => {
    const command = request.headers[commandHeader]
    if (typeof command === "string") commands.set(request.socket, command)
    changed.add(stream)
    stream.once("close", () => changed.delete(stream))
    changeProtocol(request, stream, { head, serveMcp })
  })
  server.on("connection", (socket) => {
    commands.set(socket, undefined)
    socket.once("close", () => commands.delete(socket))
  })
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return {
    answerWith: (given) => (routes = given),
    connections: () => commands.size,
    close: async (graceMs) => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const response of attached) response.end()
      server.closeIdleConnections()
      const timer = setTimeout(() => {
        server.closeAllConnections()
        for (const stream of changed) stream.destroy()
      }, graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}
