import { isOutage } from "../../domain/engine/outage-policy.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { Clock, WriteOutage } from "./database.ts"

/** What works writes at least this often. A process that has not tried for longer does not know. */
const knownForMs = 60_000

/** Creates what remembers whether the last write failed because of the store. */
export const createOutageNote = (now: Clock) => {
  let found: (WriteOutage & { readonly lastMs: number }) | undefined
  return {
    current: (): WriteOutage | undefined =>
      found !== undefined && now() - found.lastMs < knownForMs ? found : undefined,
    /** Runs a write and returns its result. `translate`: returns an error of the database as the store's. */
    noted: async <T>(
      write: () => Promise<T>,
      translate: (error: unknown) => unknown = (error) => error,
    ): Promise<T> => {
      try {
        const result = await write()
        found = undefined
        return result
      } catch (error) {
        const reason = translate(error)
        if (isOutage(reason)) found = { sinceMs: found?.sinceMs ?? now(), lastMs: now(), reason: errorMessage(reason) }
        throw error
      }
    },
  }
}
