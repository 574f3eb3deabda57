import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { NewSession, Store } from "../../store/store.ts"
import { newSessionId, sessionIdLengths } from "../session-id.ts"

/** Writes the session under an id that nobody has; a preset id is taken as it is or refused. */
export const writeSession = async (
  store: Pick<Store, "sessions">,
  presetId: string | undefined,
  sessionWith: (id: string) => NewSession,
): Promise<NewSession> => {
  const ids = presetId === undefined ? sessionIdLengths.map(newSessionId) : [presetId]
  for (const id of ids) {
    const session = sessionWith(id)
    if (await store.sessions.create(session)) return session
  }
  throw new AdjutantError(
    "idempotency_conflict",
    `the session id ${ids[0]} is taken: leave it out, or choose another one`,
  )
}
