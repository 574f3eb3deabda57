import type { Store } from "../../store/store.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { isSignedWithStore, signWithStore } from "../authority/store-signature.ts"

/** What a program asks of a session without a text. `id` names the request: that of the update, or one in the signal. */
interface Control {
  readonly name: "retry" | "setModel"
  readonly sessionId: string
  readonly id: string
  readonly model?: string
}

const signedControl = ({ name, sessionId, id, model }: Control): string =>
  `adjutant control ${JSON.stringify([1, name, sessionId, id, model ?? null])}`

/** Returns the signature of a request: without it, the audit log says that a client of Temporal sent it. */
export const signControl = (store: Pick<Store, "secret">, control: Control): Promise<string> =>
  signWithStore(store, signedControl(control))

/** Returns whether a program with this store sent a request with this payload. `updateId`: the id of the update; undefined for a signal. */
export const isSignedControl = async (
  store: Pick<Store, "secret">,
  { name, sessionId }: Pick<Control, "name" | "sessionId">,
  { value, updateId }: { readonly value: unknown; readonly updateId: string | undefined },
): Promise<boolean> => {
  if (!isRecord(value)) return false
  const { model, signature } = value
  const id = updateId ?? value["id"]
  if (typeof id !== "string" || typeof signature !== "string") return false
  const control = { name, sessionId, id, ...(typeof model === "string" ? { model } : {}) }
  return await isSignedWithStore(store, signedControl(control), signature)
}
