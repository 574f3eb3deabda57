import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { z } from "zod"
import { type AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { outgoing } from "../../network/outgoing.ts"
import { overSocket, type ServerAnswer, type SocketRequest } from "../../network/over-socket.ts"
import type { ServerConnection } from "./server-connection.ts"
import { failureOf, unreachable } from "./server-failure.ts"

export interface ServerRequest<Answer> {
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** Default: POST with a body, GET without one. */
  readonly method?: "PUT" | "PATCH" | "DELETE"
  /** Repeated attempts of a request that changes something have one idempotency key. */
  readonly body?: object
  /** Returns the schema of the answer. */
  readonly answer: () => Promise<z.ZodType<Answer>>
  readonly signal?: AbortSignal | undefined
  /** Statuses whose body is an answer as well. */
  readonly alsoAnswers?: readonly number[]
  /** How long the server may take before it answers, in addition to the usual timeout. */
  readonly extraMs?: number
}

/** An answer of the server that another attempt may change, and how long to wait for it at least. */
interface Failed {
  readonly error: AdjutantError
  readonly mayRetry: boolean
  readonly afterMs: number
}

const longestRetryAfterMs = 60_000

/** Codes of a server that is starting, or whose Temporal restarts. */
const passing: ReadonlySet<string> = new Set(["temporal_unavailable", "server_unreachable", "service_unavailable"])

export const urlOf = (
  { url }: ServerConnection,
  { path, query = {} }: Pick<ServerRequest<unknown>, "path" | "query">,
): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${url}${path}${search.size === 0 ? "" : `?${search.toString()}`}`
}

export const headersOf = ({ token, socket, headers }: ServerConnection): Readonly<Record<string, string>> => ({
  ...(socket === undefined ? { authorization: `Bearer ${token}` } : {}),
  ...headers?.(),
})

/** Sends a request to the server, or over the socket of a service. Redirects are refused, since they would send the token to another address. */
export const sendTo = async (
  { socket }: Pick<ServerConnection, "socket">,
  url: string,
  request: SocketRequest,
): Promise<ServerAnswer> =>
  socket === undefined ? await outgoing(url, { ...request, redirect: "error" }) : await overSocket(socket, url, request)

const answerBody = async (response: ServerAnswer): Promise<unknown> => {
  const text = await response.text()
  if (text === "") return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const retryAfterMs = (response: ServerAnswer): number => {
  const seconds = Number(response.headers.get("retry-after") ?? "")
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0
}

/** Sends a request once. */
const tryOnce = async <Answer>(
  connection: ServerConnection,
  request: ServerRequest<Answer>,
  { key, schema }: { readonly key: string; readonly schema: z.ZodType<Answer> },
): Promise<{ readonly answer: Answer } | Failed> => {
  const { body, signal, alsoAnswers = [], extraMs = 0, method = body === undefined ? "GET" : "POST" } = request
  const timeout = AbortSignal.timeout(connection.timing.requestTimeoutMs + extraMs)
  let response: ServerAnswer
  let content: unknown
  try {
    response = await sendTo(connection, urlOf(connection, request), {
      method,
      headers: {
        ...headersOf(connection),
        ...(method === "GET" ? {} : { "idempotency-key": key }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    content = await answerBody(response)
  } catch (error) {
    signal?.throwIfAborted()
    return { error: unreachable(connection.url, error), mayRetry: true, afterMs: 0 }
  }
  const parsed = response.ok || alsoAnswers.includes(response.status) ? schema.safeParse(content) : undefined
  if (parsed?.success === true) return { answer: parsed.data }
  const error = failureOf(connection.url, response.status, content)
  const afterMs = retryAfterMs(response)
  const mayRetry = (response.status >= 500 && passing.has(error.code)) || (response.status === 429 && afterMs > 0)
  return { error, mayRetry, afterMs }
}

/**
 * Asks the server, again after failures that pass: a broken connection, a server that is starting, too many requests.
 * @throws AdjutantError with the code of the server's answer, or `server_unreachable`; the signal's reason when it fires
 */
export const askServer = async <Answer>(
  connection: ServerConnection,
  request: ServerRequest<Answer>,
): Promise<Answer> => {
  const same = { key: randomUUID(), schema: await request.answer() }
  const delays = connection.timing.retryDelaysMs
  for (let attempt = 0; ; attempt += 1) {
    const result = await tryOnce(connection, request, same)
    if ("answer" in result) return result.answer
    const pauseMs = delays[attempt]
    if (!result.mayRetry || pauseMs === undefined || result.afterMs > longestRetryAfterMs) throw result.error
    await delay(Math.max(pauseMs, result.afterMs), undefined, { signal: request.signal })
    await connection.restore?.(request.signal)
  }
}

/** Measures how long the server has been away, for waits that outlast a restart: since the first failure after it answered. */
export const createOutage = ({ timing, restore }: ServerConnection, signal?: AbortSignal) => {
  let failedAtMs: number | undefined
  return {
    reached: (): void => {
      failedAtMs = undefined
    },
    /** Returns if the wait can continue; otherwise throws the error. */
    tolerate: async (error: unknown): Promise<void> => {
      failedAtMs ??= performance.now()
      const isAway = isAdjutantError(error) && passing.has(error.code)
      if (!isAway || performance.now() - failedAtMs >= timing.outageToleranceMs) throw error
      await restore?.(signal)
    },
  }
}
