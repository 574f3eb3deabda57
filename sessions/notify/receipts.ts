import { dayMs } from "../../domain/text/duration.ts"
import type { Store } from "../../store/store.ts"

type Receipts = Pick<Store, "idempotencyKeys">

const keepReceiptMs = 90 * dayMs
const claimOf = (key: string) => ({ scope: "notice", key, fingerprint: "notice", keepMs: keepReceiptMs, leaseMs: 0 })

/** Returns by what a service finds a message that it was sent; undefined if it said nothing, or has none. */
export const receiptOf = async ({ idempotencyKeys }: Receipts, key: string): Promise<string | undefined> =>
  (await idempotencyKeys.answerOf(claimOf(key)))?.body

/** Keeps by what a service finds a message: the first answer counts. */
export const keepReceipt = async ({ idempotencyKeys }: Receipts, key: string, receipt: string): Promise<void> => {
  const state = await idempotencyKeys.begin(claimOf(key))
  if (state.kind === "begun") await idempotencyKeys.finish(claimOf(key), { status: 200, body: receipt })
}

/** Returns the key of the first message about a task to a destination: the others are in its thread. */
export const threadReceiptKey = (name: string, rootId: string): string => `thread ${name} ${rootId}`

/** Keeps which readers have a message that others still have to get. */
export const keepReached = async (store: Receipts, key: string, reached: readonly string[] = []): Promise<void> => {
  for (const reader of reached) await keepReceipt(store, reachedKey(key, reader), reader)
}

const reachedKey = (key: string, reader: string): string => `${key} ${reader}`

/** Returns which of the readers have a message already. */
export const reachedOf = async (
  store: Receipts,
  key: string,
  readers: readonly string[],
): Promise<readonly string[]> => {
  const found = await Promise.all(readers.map((reader) => receiptOf(store, reachedKey(key, reader))))
  return found.filter((reader) => reader !== undefined)
}
