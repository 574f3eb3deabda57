import type { ErrorCode } from "./error-code.ts"
import type { ErrorReason } from "./error-reason.ts"

interface AdjutantErrorOptions extends ErrorOptions {
  readonly reason?: ErrorReason | undefined
}

/**
 * An expected error that a user sees: a code of the table, and what is wrong. Never contains a secret. What to do about it is part of the message if that is the same for
 * every reader; otherwise the error has a reason, and each surface adds its own way.
 */
export class AdjutantError extends Error {
  readonly code: ErrorCode
  readonly reason: ErrorReason | undefined

  constructor(code: ErrorCode, message: string, { reason, ...options }: AdjutantErrorOptions = {}) {
    super(message, options)
    this.name = "AdjutantError"
    this.code = code
    this.reason = reason
  }
}

export const isAdjutantError = (error: unknown): error is AdjutantError => error instanceof AdjutantError
