import type { SessionRow } from "../../store/store.ts"
import type { ClientContext } from "../client-context.ts"
import { createAnnouncer } from "./announcer.ts"
import { startDelivery } from "./start-delivery.ts"

/** Announces a run whose execution could not do it. What cannot be started now, the reconciler starts. */
export const announceEnding = async (context: ClientContext, row: SessionRow, runId: string): Promise<void> => {
  const isTop = row.parentId === null
  try {
    const inputs = await createAnnouncer(context.store).finished({ sessionId: row.id, runId, isTop })
    for (const input of inputs) await startDelivery(context, input)
  } catch (error) {
    context.logger.warn({ session_id: row.id, error }, "the end of a run could not be announced yet")
  }
}
