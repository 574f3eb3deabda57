import { isOutage } from "../../domain/engine/outage-policy.ts"
import { type SessionSignal, signalSession, type SignalClient } from "../../engine/send-update.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { translateTemporalError } from "../../engine/translate-temporal-error.ts"
import { isEngineMismatch } from "../../engine/engine-guard.ts"
import type { ClientLogger } from "../sessions-context.ts"
import type { Announcer } from "./announcer.ts"
import { reportByHand } from "./report-by-hand.ts"
import { reportRun } from "./report-run.ts"
import { type DeliveryEngine, startDelivery } from "./start-delivery.ts"

interface AnnounceDependencies extends DeliveryEngine {
  readonly temporal: DeliveryEngine["temporal"] & SignalClient
  readonly store: Pick<Store, "sessions" | "runs" | "events" | "transaction">
  readonly announcer: Pick<Announcer, "finished" | "childFinished">
  /** Sends one request to the engine. */
  readonly request: <T>(call: () => Promise<T>) => Promise<T>
}

/** Announces a run whose execution could not do so, to its receivers and, if the session stays open, to the sessions above. */
const announce = async (deps: AnnounceDependencies, row: SessionRow, runId: string): Promise<void> => {
  const { announcer, request, temporal, store } = deps
  const inputs = await announcer.finished({ sessionId: row.id, runId, isTop: row.parentId === null })
  const signal = (sent: SessionSignal) => request(() => signalSession(temporal, sent))
  const ended = { sessionId: row.id, runId }
  const told = await reportByHand({ store, announcer, signal }, ended)
  for (const input of [...inputs, ...told]) await request(() => startDelivery(deps, input))
  if (row.internal["mode"] === "session") await reportRun({ store, signal }, ended)
}

/**
 * Announces a run whose execution could not do so. An outage of the store or the engine is thrown, so that it is announced later; any other failure would
 * come again, and is only logged.
 * @throws AdjutantError `storage_failed`, `temporal_unavailable`, `engine_mismatch`
 */
export const announceOutcome = async (
  deps: AnnounceDependencies & { readonly logger: Pick<ClientLogger, "warn"> },
  row: SessionRow,
  runId: string,
): Promise<void> => {
  try {
    await announce(deps, row, runId)
  } catch (error) {
    const translated = translateTemporalError(error)
    if (isOutage(translated) || isEngineMismatch(translated)) throw translated
    deps.logger.warn({ session_id: row.id, error }, "the outcome of a run could not be announced")
  }
}
