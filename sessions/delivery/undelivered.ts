import { isRecord } from "../../domain/text/is-record.ts"
import { changeInternal } from "../rows/change-internal.ts"
import type { SessionRow, Store } from "../../store/store.ts"

/** The end of a sub-agent's run of which its parent has not been told. */
export interface Undelivered {
  readonly childId: string
  readonly runId: string
}

const field = "undelivered"

/** Returns the results that a session's next run begins with: they belong to the session, and no run of it has read them. */
export const undeliveredOf = ({ internal }: Pick<SessionRow, "internal">): readonly Undelivered[] => {
  const stored = internal[field]
  return isRecord(stored)
    ? Object.entries(stored).flatMap(([childId, runId]) => (typeof runId === "string" ? [{ childId, runId }] : []))
    : []
}

const change = async (
  store: Pick<Store, "transaction">,
  sessionId: string,
  changed: (before: readonly Undelivered[]) => readonly Undelivered[],
): Promise<void> => {
  await changeInternal(store, sessionId, (row) => {
    const after = changed(undeliveredOf(row)).map(({ childId, runId }) => [childId, runId] as const)
    const { [field]: _, ...rest } = row.internal
    return after.length === 0 ? rest : { ...rest, [field]: Object.fromEntries(after) }
  })
}

/** Keeps results for the session's next run. */
export const keepUndelivered = async (
  store: Pick<Store, "transaction">,
  sessionId: string,
  results: readonly Undelivered[],
): Promise<void> => {
  if (results.length === 0) return
  const ids = new Set(results.map(({ childId }) => childId))
  await change(store, sessionId, (before) => [...before.filter(({ childId }) => !ids.has(childId)), ...results])
}

/** Notes that a session has been told of the end of a sub-agent. */
export const dropDelivered = async (
  store: Pick<Store, "sessions" | "transaction">,
  child: Pick<SessionRow, "id" | "parentId">,
): Promise<void> => {
  const parent = child.parentId === null ? undefined : await store.sessions.get(child.parentId)
  if (parent === undefined || !undeliveredOf(parent).some(({ childId }) => childId === child.id)) return
  await change(store, parent.id, (before) => before.filter(({ childId }) => childId !== child.id))
}
