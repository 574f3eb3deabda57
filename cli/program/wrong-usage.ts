import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Returns the error for arguments and flags that do not fit together, or do not fit the task. */
export const wrongUsage = (message: string, options?: ErrorOptions): AdjutantError =>
  new AdjutantError("invalid_argument", message, options)
