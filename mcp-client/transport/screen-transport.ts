import type { JSONRPCMessage, MessageExtraInfo, Transport } from "@modelcontextprotocol/client"
import { screenMessages } from "../../domain/text/foreign/screen-messages.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import type { LenientReader } from "./lenient-results.ts"

const windowMs = 50
/** How many calls can report progress in one window. */
const callsPerWindow = 64

type Receive<Message extends object, Extra> = (message: Message, extra?: Extra) => void

/**
 * Passes on one notification about the progress of each call in a window, and every other message. A server can report progress faster than it is
 * processed: a call of a second then took minutes.
 */
const limitProgress = <Message extends object, Extra>(receive: Receive<Message, Extra>): Receive<Message, Extra> => {
  const reported = new Set<unknown>()
  let begunAt = Number.NEGATIVE_INFINITY
  return (message, extra) => {
    if (!("method" in message) || message.method !== "notifications/progress") return receive(message, extra)
    const now = performance.now()
    if (now - begunAt >= windowMs) {
      reported.clear()
      begunAt = now
    }
    const token = "params" in message && isRecord(message.params) ? message.params["progressToken"] : undefined
    if (reported.has(token) || reported.size >= callsPerWindow) return
    reported.add(token)
    receive(message, extra)
  }
}

/**
 * Makes a transport pass on only messages that are not nested too deep, progress in bounded numbers, and answers as `reader` reads them, to every
 * receiver. The transport itself is changed, since the client uses more of it than its interface says.
 */
export const screenTransport = <T extends Transport>(transport: T, reader: LenientReader): T => {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    reader.sent(message)
    return send(message, options)
  }
  const report = (error: Error): void => transport.onerror?.(error)
  let receiver: Transport["onmessage"]
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    enumerable: true,
    get: () => receiver,
    set: (receive: Transport["onmessage"]) => {
      receiver =
        receive &&
        screenMessages<JSONRPCMessage, MessageExtraInfo>({
          receive: limitProgress((message, extra) => receive(reader.read(message), extra)),
          refuse: (answer) => void transport.send(answer).catch(report),
          report,
        })
    },
  })
  return transport
}
