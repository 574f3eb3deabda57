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
  /** The variable of the key, which is not set where the call is made. */
  readonly missingKey: string | undefined

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number; status?: number; missingKey?: string | undefined } = {},
  ) {
    super(message, options)
    this.name = "ModelError"
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs
    this.status = options.status
    this.missingKey = options.missingKey
  }
}
