import type { ErrorCode } from "./error-code.ts"

/** An expected error that a user sees: a code of the table, and what is wrong and what to do. Never contains a secret. */
export class AdjutantError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "AdjutantError"
    this.code = code
  }
}

export const isAdjutantError = (error: unknown): error is AdjutantError => error instanceof AdjutantError
