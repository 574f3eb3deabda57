import type { Approval } from "../../domain/approval/narrow-approval.ts"
import { signalSession } from "../../engine/send-update.ts"
import type { SessionRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Sessions that a program creates below another one report to nobody. */
const reportsUp = ({ internal }: Pick<SessionRow, "internal">): boolean => internal["spawnKey"] !== undefined

/**
 * Signals to the open sessions above, as far up as results are reported, that a message narrows the approval below them: what a sub-agent reports may
 * be its sender's words. Resolves when the engine has the signals, so they are there before the report is.
 */
export const narrowAncestors = async (
  { store, temporal }: Pick<AgentDependencies, "store" | "temporal">,
  session: SessionRow,
  approval: Approval,
): Promise<void> => {
  const payload = { id: session.id, status: "narrowed", approval }
  let row: SessionRow | undefined = session
  while (row !== undefined && row.parentId !== null && reportsUp(row)) {
    const above: string = row.parentId
    await signalSession(temporal, { sessionId: above, name: "child", payload })
    row = await store.sessions.get(above)
  }
}
