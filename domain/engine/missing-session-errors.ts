import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { MissingCount } from "./missing-sessions.ts"

/** Returns the error for an open session that the engine does not know. */
export const sessionMissing = (sessionId: string, confirmMs: number): AdjutantError =>
  new AdjutantError(
    "session_missing",
    `session ${sessionId} is open in the store, but Temporal does not know it: try again in ${Math.ceil(confirmMs / 1_000)} s; if it is still missing then, it is recorded as lost`,
  )

export const missingText = ({ missing, open, lost }: MissingCount): string =>
  `${missing} of the ${open} open sessions are not known to Temporal${lost > 0 ? ` (${lost} more were recorded as lost within the last hour)` : ""}`

export const howToAcceptMissing =
  'if they are lost, run "adjutant reconcile --accept-missing"; if the engine was restored or replaced, bring back the right one'

/** Returns the error for so many missing sessions that none is recorded as lost. */
export const sessionsMissing = (count: MissingCount): AdjutantError =>
  new AdjutantError("session_missing", `${missingText(count)}, so none of them is ended: ${howToAcceptMissing}`)
