/** How a provider failure is treated. `retry` is worth another try; the others end the run with a message for its owner. */
export type ModelErrorKind =
  | "retry"
  | "auth"
  | "not_found"
  | "quota"
  | "bad_request"
  | "context_exceeded"
  | "script_mismatch"
  | "aborted"

/** A provider failure after classification. `message` names the setting to look at and never carries a key. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind
  /** Milliseconds to wait before the next try, where the provider names a time. */
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
