import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Returns the error for what a sandbox cannot do, or cannot do here. */
export const sandboxUnavailable = (problem: string, options?: ErrorOptions): AdjutantError =>
  new AdjutantError("sandbox_unavailable", problem, options)
