/** How a provider failure is handled. `retry` is retried; the others end the run with a message for its owner. */
export type ModelErrorKind =
  | "retry"
  | "auth"
  | "not_found"
  | "quota"
  | "bad_request"
  | "context_exceeded"
  | "script_mismatch"
  | "aborted"

/** A classified provider failure. `message` names the setting to check and never contains a key. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind
  /** Milliseconds until the next attempt, if the provider names a time. */
  readonly retryAfterMs: number | undefined
  readonly status: number | undefined

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number; status?: number } = {},
  ) {
    super(message, options)
    this.name = "ModelError"
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs
    this.status = options.status
  }
}
