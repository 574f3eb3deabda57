import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { repeatedKey } from "../../contracts/service/mcp-connection.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { McpConnection } from "../../service/mcp/connect-mcp.ts"
import {
  unansweredRequest,
  isRequestId,
  jsonLine,
  type RelayedMessage,
  parseMessage,
  type RequestId,
  withId,
  withMeta,
} from "./messages.ts"

export interface RelayOptions {
  /** Connects to the service, which it starts if none runs. */
  connect(): Promise<McpConnection>
  /** Sends a line, with its end, to the client. */
  write(line: string): void
}

/** Passes messages between a client and the service. If the service is replaced while the client is connected, the client does not notice. */
export interface Relay {
  /** Connects before the client sends something. @throws AdjutantError if no service can be used */
  open(): Promise<void>
  /** Takes a line of the client, with its end. */
  take(line: string): void
  close(): void
}

/** A request of the client without an answer yet. */
interface Open {
  readonly message: RelayedMessage & { readonly id: RequestId }
  /** To how many services it was sent. */
  sent: number
}

/** A call that has seen this many services end is not sent again: it may be what ends them. */
const mostServices = 3

const lost =
  "the service was lost during this call, and may have carried it out: look at the task, and call again if it has not"

/** How a client of an older protocol revision opens its connection. It does so once: each further service gets these messages from here. */
interface Greeting {
  initialize?: Open["message"]
  initialized?: string
}

/** The requests of the service to the client, such as forms. Two services use the same ids, so the client gets others. */
const createAsked = (write: RelayOptions["write"]) => {
  const asked = new Map<RequestId, RequestId>()
  let services = 0
  const outside = (id: RequestId): RequestId => (services <= 1 ? id : `${services}.${id}`)
  return {
    next: () => {
      for (const id of asked.keys())
        write(jsonLine({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }))
      asked.clear()
      services += 1
    },
    /** Returns the line for the client. */
    ask: (message: RelayedMessage & { readonly id: RequestId }): string => {
      asked.set(outside(message.id), message.id)
      return withId(message, outside(message.id))
    },
    /** Returns the line that withdraws a request. */
    withdraw: ({ line, params }: RelayedMessage): string => {
      const { requestId } = params
      if (typeof requestId !== "string" && typeof requestId !== "number") return line
      asked.delete(outside(requestId))
      return jsonLine({ ...JSON.parse(line), params: { ...params, requestId: outside(requestId) } })
    },
    /** Returns the client's answer as the service reads it; undefined if the service that asked is gone. */
    answer: (message: RelayedMessage & { readonly id: RequestId }): string | undefined => {
      const id = asked.get(message.id)
      asked.delete(message.id)
      return id === undefined ? undefined : withId(message, id)
    },
  }
}

interface State extends RelayOptions {
  readonly open: Map<RequestId, Open>
  readonly asked: ReturnType<typeof createAsked>
  readonly greeting: Greeting
  connection: McpConnection | undefined
  connecting: Promise<void> | undefined
  /** Whether the service answers an opening next that the client did not send: the answer is dropped. */
  greets: boolean
  isClosed: boolean
}

const refuse = ({ open, write }: State, { message }: Open, reason: string): void => {
  open.delete(message.id)
  write(unansweredRequest(message, reason))
}

/** Sends a request. One that was sent before may have been carried out: only a repeatable call is sent again. */
const send = (state: State, to: McpConnection, request: Open): void => {
  const { message } = request
  const isSafe = message.tool === undefined || to.repeatable.includes(message.tool)
  if (request.sent > 0 && (!isSafe || request.sent >= mostServices)) return refuse(state, request, lost)
  const isRepeated = request.sent > 0 && message.tool !== undefined
  request.sent += 1
  to.send(isRepeated ? withMeta(message, { [repeatedKey]: true }) : message.line)
}

/** Passes on a line of the service. */
const hear = (state: State, line: string): void => {
  const { open, asked, greeting, write } = state
  const message = parseMessage(line)
  const { id, method } = message
  if (method === "notifications/cancelled") return write(asked.withdraw(message))
  if (id === undefined) return write(line)
  if (method !== undefined) return write(asked.ask({ ...message, id }))
  if (state.greets && id === greeting.initialize?.id) {
    state.greets = false
    return
  }
  open.delete(id)
  write(line)
}

const listen = async (state: State, to: McpConnection): Promise<void> => {
  for await (const line of to.lines) hear(state, line.toString("utf8"))
  if (state.connection === to) state.connection = undefined
  if (state.open.size > 0 && !state.isClosed) await reach(state)
}

/** Uses a new connection, and sends it every request that has no answer yet. */
const begin = (state: State, to: McpConnection): void => {
  const { asked, greeting, open } = state
  asked.next()
  state.connection = to
  const { initialize, initialized } = greeting
  state.greets = initialize !== undefined && !open.has(initialize.id)
  if (state.greets && initialize !== undefined) to.send(initialize.line)
  if (state.greets && initialized !== undefined) to.send(initialized)
  for (const request of open.values()) send(state, to, request)
  listen(state, to).catch(() => undefined)
}

const connectOnce = async (state: State): Promise<void> => {
  try {
    const to = await state.connect()
    if (state.isClosed) to.end()
    else begin(state, to)
  } finally {
    state.connecting = undefined
  }
}

/** Connects. If that fails, every open request gets the reason as its answer. */
const reach = async (state: State): Promise<void> => {
  try {
    await (state.connecting ??= connectOnce(state))
  } catch (error) {
    const reason = isAdjutantError(error) ? error.message : `no service answers: ${errorMessage(error)}`
    for (const request of state.open.values()) refuse(state, request, reason)
  }
}

/** Passes on a line of the client. */
const take = (state: State, line: string): void => {
  const { open, asked, greeting, connection } = state
  const message = parseMessage(line)
  const { id, method, params } = message
  if (method === "notifications/initialized") greeting.initialized = line
  if (method === "notifications/cancelled" && isRequestId(params["requestId"])) open.delete(params["requestId"])
  if (id !== undefined && method === undefined) {
    const answer = asked.answer({ ...message, id })
    if (answer !== undefined) connection?.send(answer)
    return
  }
  if (id === undefined) {
    connection?.send(line)
    return
  }
  const request: Open = { message: { ...message, id }, sent: 0 }
  if (method === "initialize") greeting.initialize = request.message
  open.set(id, request)
  if (connection !== undefined) send(state, connection, request)
  else void reach(state)
}

export const createRelay = (options: RelayOptions): Relay => {
  const state: State = {
    ...options,
    ...{ open: new Map(), asked: createAsked(options.write), greeting: {}, greets: false, isClosed: false },
    ...{ connection: undefined, connecting: undefined },
  }
  return {
    open: () => (state.connecting ??= connectOnce(state)),
    take: (line) => take(state, line),
    close: () => {
      state.isClosed = true
      state.connection?.end()
    },
  }
}
