import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { sendSignal } from "../../engine/send-update.ts"
import { createAnnouncer } from "./announcer.ts"
import { startDelivery } from "./start-delivery.ts"

/** Who is above a session that stays open hears of its runs by signal only. */
const tellAbove = async (context: SessionsContext, row: SessionRow, runId: string): Promise<void> => {
  const payload = { id: row.id, status: "ended", run_id: runId }
  for (let above = row.parentId; above !== null;) {
    if (await sendSignal(context, { sessionId: above, name: "child", payload })) return
    above = (await context.store.sessions.get(above))?.parentId ?? null
  }
}

/** Announces a run whose execution could not do it. What cannot be started now, the reconciler starts. */
export const announceEnding = async (context: SessionsContext, row: SessionRow, runId: string): Promise<void> => {
  const isTop = row.parentId === null
  try {
    const inputs = await createAnnouncer(context.store).finished({ sessionId: row.id, runId, isTop })
    for (const input of inputs) await startDelivery(context, input)
    if (row.metadata["mode"] === "session") await tellAbove(context, row, runId)
  } catch (error) {
    context.logger.warn({ session_id: row.id, error }, "the end of a run could not be announced yet")
  }
}
