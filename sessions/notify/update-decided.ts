import type { StoredNotice } from "../../domain/notify/notice.ts"
import { requestWork } from "../../engine/call-engine.ts"
import type { DeliveryRow, PauseRow, Store } from "../../store/store.ts"
import { countedAction, maxAuditRows } from "../pauses/pause-decisions.ts"
import { linkDecisions } from "../pauses/links/link-decisions.ts"
import { startDelivery } from "../delivery/start-delivery.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { toPeopleAgain, updateKeyOf } from "../delivery/to-people.ts"

const mostMessages = 200

const words = {
  accept: "Approved",
  edit: "Approved with changes",
  reject: "Rejected",
  custom_result: "Answered",
} as const

/** Returns who decided what, when and how; of a pause that nobody decided, that it no longer waits. */
const decidedText = async (store: Pick<Store, "events" | "audit">, pause: PauseRow): Promise<string> => {
  if (pause.type === "input_required") return "Answered, or no longer asked"
  const decisions = await linkDecisions(store, pause)
  const rows = await store.audit.list({ sessionId: pause.sessionId, limit: maxAuditRows })
  const counted = rows.filter(
    ({ action, detail }) => action === countedAction && detail["checkpoint_id"] === pause.checkpointId,
  )
  const others = counted.filter(({ by }) => decisions.every((decision) => decision.by !== by))
  const also = [...new Set(others.map(({ by }) => by))]
  const end = also.length === 0 ? "" : `, after the approval of ${also.join(", ")}`
  const lines = decisions.map(({ action, by, via, at }) => `${words[action]} by ${by} (${via}) at ${at}${end}`)
  return lines.length === 0 ? "No longer waits" : [...new Set(lines)].join("; ")
}

const isAboutPause = ({ kind, event }: DeliveryRow): boolean => kind === "destination" && event === "run-paused"

/** Replaces a message whose pause has ended. Returns whether it is done with. */
const update = async (context: SessionsContext, row: DeliveryRow): Promise<boolean> => {
  const { store } = context
  const body: StoredNotice = JSON.parse(row.body)
  const { checkpointId } = body.notice
  const pause = checkpointId === undefined ? undefined : await store.pauses.byCheckpoint(checkpointId)
  if (pause === undefined || pause.closedAt === null) return pause === undefined
  const known = await store.deliveries.get(updateKeyOf(store, row.key))
  if (known !== undefined) return true
  const input = await toPeopleAgain(store, row, { body, outcome: await decidedText(store, pause) })
  await requestWork(context, () => startDelivery(context, input))
  return true
}

/**
 * Replaces the messages about pauses that have ended, by a delivery each. `done`: the keys of messages that need nothing more,
 * which the caller keeps.
 */
export const updateDecided = async (context: SessionsContext, done: Set<string>): Promise<void> => {
  const rows = await context.store.deliveries.list({ status: "delivered", limit: mostMessages })
  for (const row of rows) if (isAboutPause(row) && !done.has(row.key) && (await update(context, row))) done.add(row.key)
}
