import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { NewSession, WritableStore } from "../../store/store.ts"
import { newSessionId, sessionIdLengths } from "../session-id.ts"

/** Writes the session under a free id; a preset id is used as given, or refused if it is taken. */
export const writeSession = async (
  store: Pick<WritableStore, "sessions">,
  presetId: string | undefined,
  sessionWith: (id: string) => NewSession,
): Promise<NewSession> => {
  const ids = presetId === undefined ? sessionIdLengths.map(newSessionId) : [presetId]
  for (const id of ids) {
    const session = sessionWith(id)
    if (await store.sessions.create(session)) return session
  }
  throw new AdjutantError("idempotency_conflict", `the session id ${ids[0]} is taken: omit it, or choose another one`)
}
