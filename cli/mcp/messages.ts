import { isRecord } from "../../domain/text/is-record.ts"

/** The id of a request in JSON-RPC. */
export type RequestId = string | number

/** What the relay reads of a message. */
export interface RelayedMessage {
  /** With its end. */
  readonly line: string
  readonly id?: RequestId
  readonly method?: string
  readonly params: Readonly<Record<string, unknown>>
  /** The tool that the message calls. */
  readonly tool?: string
}

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === "string" || typeof value === "number"

/** Reads a line; one that is no message has neither an id nor a method, and is passed on as it is. */
export const parseMessage = (line: string): RelayedMessage => {
  const value = jsonOf(line)
  if (!isRecord(value)) return { line, params: {} }
  const { id, method } = value
  const params = isRecord(value["params"]) ? value["params"] : {}
  const name = method === "tools/call" && typeof params["name"] === "string" ? params["name"] : undefined
  return {
    ...{ line, params },
    ...(isRequestId(id) ? { id } : {}),
    ...(typeof method === "string" ? { method } : {}),
    ...(name === undefined ? {} : { tool: name }),
  }
}

export const jsonLine = (message: object): string => `${JSON.stringify(message)}\n`

/** Returns the line with another id. */
export const withId = ({ line, id }: RelayedMessage, other: RequestId): string =>
  id === other ? line : jsonLine({ ...JSON.parse(line), id: other })

/** Returns the line of a request with more in its `_meta`. */
export const withMeta = ({ line, params }: RelayedMessage, more: Readonly<Record<string, unknown>>): string => {
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {}
  return jsonLine({ ...JSON.parse(line), params: { ...params, _meta: { ...meta, ...more } } })
}

const internalError = -32_603

/** Returns the answer to a request that no service answers: a result that the model reads for a call, an error of the protocol for anything else. */
export const unansweredRequest = ({ id, tool }: RelayedMessage, message: string): string => {
  if (tool === undefined) return jsonLine({ jsonrpc: "2.0", id, error: { code: internalError, message } })
  const code = "SERVICE_UNAVAILABLE"
  const result = {
    content: [{ type: "text", text: `${code}: ${message}` }],
    structuredContent: { error: { code, message } },
    isError: true,
  }
  return jsonLine({ jsonrpc: "2.0", id, result })
}
