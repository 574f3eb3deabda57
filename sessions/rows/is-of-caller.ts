import type { SessionRow, Store } from "../../store/store.ts"

/** Returns the caller from outside any run to whom a session belongs: the one that started the root of its tree. */
const callerOf = async ({ sessions }: Pick<Store, "sessions">, row: SessionRow): Promise<string | null> =>
  row.id === row.rootId ? row.caller : ((await sessions.get(row.rootId))?.caller ?? null)

/** Returns whether a session exists and belongs to a tree that the caller started. This rule decides what a caller over MCP reaches. */
export const isOfCaller = async (
  store: Pick<Store, "sessions">,
  sessionId: string,
  caller: string,
): Promise<boolean> => {
  const row = await store.sessions.get(sessionId)
  return row !== undefined && row.deletedAt === null && (await callerOf(store, row)) === caller
}
