import { createHash } from "node:crypto"

/** The same occasion always has the same key, across retries and across workers; it is unique among stores that share an engine. */
export const deliveryKey = (storeId: string, parts: readonly string[]): string =>
  `dlv_${createHash("sha256")
    .update(JSON.stringify([storeId, ...parts]))
    .digest("hex")
    .slice(0, 32)}`
