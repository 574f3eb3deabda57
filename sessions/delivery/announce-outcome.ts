import { callEngine } from "../../engine/call-engine.ts"
import { signalSession, type SignalClient } from "../../engine/send-update.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { type Announcer, createAnnouncer } from "./announcer.ts"
import { reportRun } from "./report-run.ts"
import { type DeliveryEngine, startDelivery } from "./start-delivery.ts"

export interface AnnounceDependencies extends DeliveryEngine {
  readonly temporal: DeliveryEngine["temporal"] & SignalClient
  readonly store: Pick<Store, "sessions">
  readonly announcer: Pick<Announcer, "finished">
  /** Sends one request to the engine. */
  readonly request: <T>(call: () => Promise<T>) => Promise<T>
}

/** Announces a run whose execution could not do so, to its receivers and, if the session stays open, to the sessions above. */
export const announceOutcome = async (deps: AnnounceDependencies, row: SessionRow, runId: string): Promise<void> => {
  const { announcer, request, temporal, store } = deps
  const inputs = await announcer.finished({ sessionId: row.id, runId, isTop: row.parentId === null })
  for (const input of inputs) await request(() => startDelivery(deps, input))
  if (row.internal["mode"] !== "session") return
  await reportRun(
    { store, signal: (signal) => request(() => signalSession(temporal, signal)) },
    { sessionId: row.id, runId },
  )
}

/** Announces an outcome, and logs a failure instead of throwing it: the reconciler starts deliveries that cannot be started now. */
export const tryAnnounceOutcome = async (context: SessionsContext, row: SessionRow, runId: string): Promise<void> => {
  const { store, temporal, taskQueue, logger, temporalUrl } = context
  const request = <T>(call: () => Promise<T>): Promise<T> => callEngine(context, call)
  try {
    await announceOutcome(
      { store, temporal, taskQueue, announcer: createAnnouncer(store, temporalUrl), request },
      row,
      runId,
    )
  } catch (error) {
    logger.warn({ session_id: row.id, error }, "the outcome of a run could not be announced yet")
  }
}
