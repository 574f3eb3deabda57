import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"

export interface ApiAnswer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A client that repeats a request, at each server in turn, until the response reports no outage. */
export interface PatientApi {
  get(route: string): Promise<ApiAnswer>
  /** Sends the same idempotency key with every attempt. */
  post(route: string, body: unknown): Promise<ApiAnswer>
}

/** The servers of a chaos run require this token. */
export const chaosToken = "token-of-a-chaos-run"
const authorization = `Bearer ${chaosToken}`

const attemptTimeoutMs = 15_000
const waitMs = 250

/**
 * A request whose server died stays in progress until its key may be taken over. The token is valid: a server that refuses it is another one, which has taken the
 * port of one that was killed.
 */
const isOutage = (status: number, text: string): boolean =>
  status >= 500 || status === 429 || status === 401 || (status === 409 && text.includes("still in progress"))

/** Creates a client of these servers; it gives up when `signal` aborts. */
export const patientApi = (urls: readonly [string, ...string[]], signal: AbortSignal): PatientApi => {
  let turn = 0
  const attempt = async (route: string, init: RequestInit): Promise<ApiAnswer | undefined> => {
    turn += 1
    try {
      const url = `${urls[turn % urls.length]}${route}`
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(attemptTimeoutMs) })
      const text = await response.text()
      if (isOutage(response.status, text)) return undefined
      return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) }
    } catch {
      return undefined
    }
  }
  const ask = async (route: string, init: RequestInit): Promise<ApiAnswer> => {
    for (;;) {
      signal.throwIfAborted()
      const answer = await attempt(route, init)
      if (answer !== undefined) return answer
      await delay(waitMs)
    }
  }
  return {
    get: (route) => ask(route, { headers: { authorization } }),
    post: (route, body) => {
      const headers = { "content-type": "application/json", "idempotency-key": randomUUID(), authorization }
      return ask(route, { method: "POST", headers, body: JSON.stringify(body) })
    },
  }
}
