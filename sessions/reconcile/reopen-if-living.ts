import { reopenLost } from "./reopen-lost.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** Opens a session again that was recorded as lost and that the engine executes, before a caller acts on it. Returns its row. */
export const reopenIfLiving = async (context: SessionsContext, row: SessionRow): Promise<SessionRow> => {
  if (row.status !== "failed" || row.stopReason !== "terminated") return row
  const lost = await context.store.missing.get(row.id)
  if (lost === undefined || lost.runId !== row.runId || !(await reopenLost(context, lost))) return row
  return (await context.store.sessions.get(row.id)) ?? row
}
