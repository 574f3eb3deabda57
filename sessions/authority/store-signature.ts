import { createHmac, timingSafeEqual } from "node:crypto"
import type { Store } from "../../store/store.ts"

/** The name of the store's secret. It signs all that programs send to a session's workflow. */
const secretName = "decisions"

const digestOf = async (store: Pick<Store, "secret">, text: string): Promise<Buffer> =>
  createHmac("sha256", Buffer.from(await store.secret(secretName), "hex"))
    .update(text)
    .digest()

/** Signs a text. With access to Temporal alone, nobody can: the secret is in the store alone. */
export const signWithStore = async (store: Pick<Store, "secret">, text: string): Promise<string> =>
  (await digestOf(store, text)).toString("base64url")

/** Returns whether a program with this store signed exactly this text. */
export const isSignedWithStore = async (
  store: Pick<Store, "secret">,
  text: string,
  signature: string | undefined,
): Promise<boolean> => {
  if (signature === undefined) return false
  const expected = await digestOf(store, text)
  const given = Buffer.from(signature, "base64url")
  return given.length === expected.length && timingSafeEqual(given, expected)
}
