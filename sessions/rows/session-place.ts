import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionPlace, SessionRow, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** Returns the place of a new session whose working directory this process has checked. */
export const placeHere = async ({ machine }: Pick<SessionsContext, "machine">, cwd: string): Promise<SessionPlace> => ({
  machine: machine.name,
  directory: (await machine.identify(cwd)) ?? null,
})

/** Returns the place of an existing session, for one with the same working directory. */
export const placeOfSession = async (
  { machines }: Pick<Store, "machines">,
  sessionId: string,
): Promise<SessionPlace | null> => {
  const place = await machines.placeOf(sessionId)
  return place === undefined || place.machine === null ? null : { machine: place.machine, directory: place.directory }
}

/**
 * Requires the working directory of a session of this machine, before anything makes the session work: a decision that a run cannot carry out would be used up.
 * @throws AdjutantError `invalid_argument`
 */
export const requireDirectory = async (
  { store, machine }: Pick<SessionsContext, "store" | "machine">,
  { id }: Pick<SessionRow, "id">,
): Promise<void> => {
  const place = await store.machines.placeOf(id)
  if (place === undefined || (place.machine !== machine.name && machine.isOnly !== true)) return
  if ((await machine.identify(place.cwd)) !== undefined) return
  throw new AdjutantError(
    "invalid_argument",
    `task ${id} works in ${place.cwd}, which does not exist here or was replaced by a link, so nothing was changed: bring it back or, where its files are, run "adjutant resume ${id} --cwd ." with the decision or the text`,
  )
}
