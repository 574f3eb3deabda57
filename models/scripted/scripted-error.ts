import type { ScriptedReply } from "./script-schema.ts"

/** A written failure in the shape of the SDKs' errors, so that it is classified like a real one. */
export class ScriptedError extends Error {
  readonly status: number | undefined
  readonly headers: Headers
  readonly code: string | undefined

  constructor({ status, retry_after, message }: NonNullable<ScriptedReply["error"]>) {
    super(message ?? `scripted failure ${status}`)
    this.name = "ScriptedError"
    this.status = status === "connection" ? undefined : status
    this.code = status === "connection" ? "ECONNRESET" : undefined
    this.headers = new Headers(retry_after === undefined ? {} : { "retry-after": String(retry_after) })
  }
}
