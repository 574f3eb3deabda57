import { addUsage, noUsage, type UsageTotals } from "../../domain/limits/usage-totals.ts"
import type { Store } from "../../store/store.ts"
import { sessionPages } from "../../sessions/rows/page.ts"
import { turnUsage } from "./turn-usage.ts"

/** Returns the total usage of a session and its descendants. */
export const treeUsage = async (store: Pick<Store, "sessions" | "usage">, sessionId: string): Promise<UsageTotals> => {
  let sum = addUsage(noUsage, turnUsage(await store.usage.total({ sessionId })))
  for await (const page of sessionPages(store, { parentId: sessionId, includeArchived: true }))
    for (const child of page) sum = addUsage(sum, await treeUsage(store, child.id))
  return sum
}
