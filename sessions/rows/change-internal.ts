import type { SessionRow, Store } from "../../store/store.ts"

/** Changes what Adjutant keeps about a session, which no other writer changes meanwhile. */
export const changeInternal = async (
  store: Pick<Store, "transaction">,
  sessionId: string,
  changed: (row: SessionRow) => SessionRow["internal"],
): Promise<void> => {
  await store.transaction(async (writes) => {
    const row = await writes.sessions.locked(sessionId)
    if (row !== undefined) await writes.sessions.patch(sessionId, { internal: changed(row) })
  })
}
