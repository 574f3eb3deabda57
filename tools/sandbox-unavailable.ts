import { AdjutantError } from "../contracts/adjutant-error.ts"

/** Returns the error for something that a sandbox cannot do, in general or on this machine. */
export const sandboxUnavailable = (problem: string, options?: ErrorOptions): AdjutantError =>
  new AdjutantError("sandbox_unavailable", problem, options)
