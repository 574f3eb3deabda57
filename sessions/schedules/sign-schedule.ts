import type { AddedSchedule, ScheduledRunInput } from "../../domain/schedules/scheduled-run.ts"
import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import type { Store } from "../../store/store.ts"
import { isSignedWithStore, signWithStore } from "../authority/store-signature.ts"

type Added = Pick<AddedSchedule, "schedule" | "creator">

const signedSchedule = (name: string, { schedule, creator }: Added): string =>
  `adjutant schedule ${canonicalJson([1, name, schedule, creator])}`

/** Signs a schedule that a caller adds: the engine keeps it, and its tasks act with the rights and in the name of that caller. */
export const signSchedule = async (
  store: Pick<Store, "secret">,
  name: string,
  added: Added,
): Promise<ScheduledRunInput> => ({
  name,
  added: { ...added, signature: await signWithStore(store, signedSchedule(name, added)) },
})

/** Returns whether a program with this store added the schedule, under this name and with exactly this content. */
export const isSignedSchedule = (store: Pick<Store, "secret">, name: string, added: AddedSchedule): Promise<boolean> =>
  isSignedWithStore(store, signedSchedule(name, added), added.signature)
