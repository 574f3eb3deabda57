import { reopenLost } from "./reopen-lost.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** A session that somebody wants to act on: one that was recorded as lost and that the engine executes is opened again first. */
export const reopenIfLiving = async (context: SessionsContext, row: SessionRow): Promise<SessionRow> => {
  if (row.status !== "failed" || row.stopReason !== "terminated") return row
  const lost = await context.store.missing.get(row.id)
  if (lost === undefined || lost.runId !== row.runId || !(await reopenLost(context, lost))) return row
  return (await context.store.sessions.get(row.id)) ?? row
}
