import { isNestedTooDeep, maxJsonDepth } from "../json/parse-json.ts"

/** A JSON-RPC error, which answers the request with its id. */
interface RpcError {
  readonly jsonrpc: "2.0"
  readonly id: string | number
  readonly error: { readonly code: number; readonly message: string }
}

interface Connection<Message, Extra> {
  /** Takes a message that passed, or the error that replaces an answer which did not: nobody waits for it in vain. */
  readonly receive: (message: Message | RpcError, extra?: Extra) => void
  /** Sends an error to the other side, in answer to a request that is refused. */
  readonly refuse: (error: RpcError) => void
  /** Is told why a notification was dropped. */
  readonly report: (error: Error) => void
}

const invalidRequest = -32_600

/** Returns a receiver of parsed JSON-RPC messages that passes on only those that nest at most `maxJsonDepth` levels deep. */
export const screenMessages =
  <Message extends object, Extra>({ receive, refuse, report }: Connection<Message, Extra>) =>
  (message: Message, extra?: Extra): void => {
    if (!isNestedTooDeep(message)) return receive(message, extra)
    const reason = `the message nests deeper than ${maxJsonDepth} levels; send flatter JSON`
    const id: unknown = "id" in message ? message.id : undefined
    if (typeof id !== "string" && typeof id !== "number") return report(new Error(reason))
    const error: RpcError = { jsonrpc: "2.0", id, error: { code: invalidRequest, message: reason } }
    return "method" in message ? refuse(error) : receive(error, extra)
  }
