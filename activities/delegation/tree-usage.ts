import { addUsage, noUsage, type UsageTotals } from "../../domain/limits/usage-totals.ts"
import type { Store } from "../../store/store.ts"
import { turnUsage } from "../model/turn-usage.ts"

/** Everything that a session and those below it have used. */
export const treeUsage = async (store: Pick<Store, "sessions" | "usage">, sessionId: string): Promise<UsageTotals> => {
  let sum = addUsage(noUsage, turnUsage(await store.usage.total({ sessionId })))
  for (let cursor: string | undefined, more = true; more;) {
    const page = await store.sessions.list({
      parentId: sessionId,
      includeArchived: true,
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const child of page.items) sum = addUsage(sum, await treeUsage(store, child.id))
    cursor = page.nextCursor ?? undefined
    more = cursor !== undefined
  }
  return sum
}
