import { thisMachine } from "../../engine/workers/machine.ts"
import type { SessionPlace, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** Returns the place of a new session whose working directory this process has checked. */
export const placeHere = async ({ env }: Pick<SessionsContext, "env">, cwd: string): Promise<SessionPlace> => {
  const machine = thisMachine(env)
  return { machine: machine.name, directory: (await machine.identify(cwd)) ?? null }
}

/** Returns the place of an existing session, for one with the same working directory. */
export const placeOfSession = async (
  { machines }: Pick<Store, "machines">,
  sessionId: string,
): Promise<SessionPlace | null> => {
  const place = await machines.placeOf(sessionId)
  return place === undefined || place.machine === null ? null : { machine: place.machine, directory: place.directory }
}
