import { chmodSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { type ServiceStatus, stopServiceSchema } from "../contracts/service/service-status.ts"
import { type TreeRegistration, treeRegistrationSchema } from "../contracts/service/tree-registration.ts"

/** What the socket answers. The caller is this user, which the modes of the socket and its folder ensure. */
export interface SocketRoutes {
  status(): Promise<Omit<ServiceStatus, "connections">>
  stop(request: { readonly now: boolean }): void
  /** Takes what a command brings for a tree. */
  register(registration: TreeRegistration): Promise<void>
  /** Every other request: the HTTP API. */
  answer(request: IncomingMessage, response: ServerResponse): void
}

export interface ServedSocket {
  /** Open connections. */
  connections(): number
  /** Accepts no new connection, lets accepted requests finish within the time, and closes the rest. */
  close(graceMs: number): Promise<void>
}

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const stop = async (
  request: IncomingMessage,
  response: ServerResponse,
  routes: Pick<SocketRoutes, "stop">,
): Promise<void> => {
  const wanted = stopServiceSchema.safeParse(await json(request).catch(() => undefined))
  if (!wanted.success) return send(response, 400, { code: "invalid_argument", error: "send {now: true or false}" })
  response.once("close", () => routes.stop(wanted.data))
  send(response, 202, { stopping: true })
}

const register = async (
  request: IncomingMessage,
  response: ServerResponse,
  routes: Pick<SocketRoutes, "register">,
): Promise<void> => {
  const registration = treeRegistrationSchema.safeParse(await json(request).catch(() => undefined))
  if (!registration.success)
    return send(response, 400, { code: "invalid_argument", error: "this service expects other fields of a task" })
  try {
    await routes.register(registration.data)
    send(response, 200, { registered: true })
  } catch (error) {
    const { code, message } = isAdjutantError(error)
      ? error
      : { code: "internal_error", message: "the configuration could not be read" }
    send(response, 400, { code, error: message })
  }
}

/** Listens on a unix socket, which must be the lock holder's: a socket that is left there is replaced. */
export const serveSocket = async (path: string, routes: SocketRoutes): Promise<ServedSocket> => {
  let connections = 0
  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url}`
    if (route === "GET /service")
      routes.status().then(
        (status) => send(response, 200, { ...status, connections }),
        () => send(response, 503, { code: "internal_error", error: "the state of the service cannot be read" }),
      )
    else if (route === "POST /service/stop") void stop(request, response, routes)
    else if (route === "POST /service/trees") void register(request, response, routes)
    else routes.answer(request, response)
  })
  server.on("connection", (socket) => {
    connections += 1
    socket.once("close", () => (connections -= 1))
  })
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return {
    connections: () => connections,
    close: async (graceMs) => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}
