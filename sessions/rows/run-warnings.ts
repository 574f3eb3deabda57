import type { Warning } from "../../contracts/run/warning.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { changeInternal } from "./change-internal.ts"
import type { SessionRow, Store } from "../../store/store.ts"

const field = "warnings"

const isWarning = (value: unknown): value is Warning =>
  isRecord(value) && typeof value["code"] === "string" && typeof value["message"] === "string"

/** Returns the warnings of the session's latest run, once that has ended. */
export const warningsOf = ({ internal, runId }: Pick<SessionRow, "internal" | "runId">): readonly Warning[] => {
  const stored = internal[field]
  if (!isRecord(stored) || stored["run_id"] !== runId || !Array.isArray(stored["items"])) return []
  return stored["items"].filter(isWarning)
}

/** Keeps the warnings of a run with its session, before its outcome is recorded. */
export const keepWarnings = async (
  store: Pick<Store, "transaction">,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
  warnings: readonly Warning[],
): Promise<void> => {
  if (warnings.length === 0) return
  await changeInternal(store, sessionId, ({ internal }) => ({
    ...internal,
    [field]: { run_id: runId, items: [...warnings] },
  }))
}
