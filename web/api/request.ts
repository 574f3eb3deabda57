import { withoutHttpAdvice } from "../../domain/advice/explain.ts"
import { askForToken, authorization, exchanged } from "./token.ts"

/** The server could not be reached. What was sent may have arrived. */
class Unreachable extends Error {}

/** The server refused a request, with its own sentence. */
export class Refused extends Error {
  readonly status: number
  /** The code of the error, as the reference lists them; undefined if something else than the server answered. */
  readonly code: string | undefined

  constructor(message: string, { status, code }: { readonly status: number; readonly code: string | undefined }) {
    super(message)
    this.status = status
    this.code = code
  }
}

interface Request extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request with the token, and asks for the token where the server wants another one. */
export const sendWithToken = async (path: string, options: Request): Promise<Response> => {
  await exchanged
  const response = await fetch(path, { ...options, headers: { ...authorization(), ...options.headers } }).catch(
    (error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") throw error
      throw new Unreachable("The server does not answer.", { cause: error })
    },
  )
  if (response.status !== 401) return response
  await askForToken()
  return sendWithToken(path, options)
}

const refusedBy = async (response: Response): Promise<Refused> => {
  const { status } = response
  const { error, code, reason } = await response.json().catch(() => ({}))
  const message = error === undefined ? `The server answered ${status}.` : withoutHttpAdvice({ error, reason })
  return new Refused(message, { status, code })
}

/** Reads the bytes at a path. */
export const readBytes = async (path: string): Promise<ArrayBuffer> => {
  const response = await sendWithToken(path, {})
  if (!response.ok) throw await refusedBy(response)
  return await response.arrayBuffer()
}

/** Sends a request with a body of JSON and returns the answer's. An answer that is no success becomes an error with the server's own sentence. */
export const request = async <T>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
): Promise<T> => {
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(method !== "GET" ? { "idempotency-key": crypto.randomUUID() } : {}),
  }
  const response = await sendWithToken(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await refusedBy(response)
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}))
  return answer
}
