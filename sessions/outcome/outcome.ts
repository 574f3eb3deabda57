import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionStatusAnswer } from "../../domain/session/session-message.ts"
import type { PauseRow, SessionRow } from "../../store/store.ts"
import { callEngine } from "../../engine/call-engine.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { finalDocument } from "./final-document.ts"
import { inspectSession } from "../engine/inspect-session.ts"
import { pausedDocument } from "./paused-document.ts"
import { requireSession } from "../rows/require-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"

/** Returns whether a pause that this client answered by signal is still open, according to a worker; if none answers, it counts as answered. */
const isStillOpen = async (context: SessionsContext, pause: PauseRow): Promise<boolean> => {
  if (!context.answeredCheckpoints.has(pause.checkpointId)) return true
  const handle = context.temporal.workflow.getHandle(sessionWorkflowId(pause.sessionId))
  try {
    const answer = await callEngine(
      context,
      () => handle.query<SessionStatusAnswer>("status"),
      context.timing.checkIntervalMs,
    )
    if (answer.status !== "paused" || answer.checkpoint_id !== pause.checkpointId) return false
    context.answeredCheckpoints.delete(pause.checkpointId)
    return true
  } catch {
    return false
  }
}

const openPauseOf = async (context: SessionsContext, row: SessionRow): Promise<readonly PauseRow[]> => {
  if (row.status !== "paused") return []
  const pause = await context.store.pauses.current(row.id)
  return pause !== undefined && (await isStillOpen(context, pause)) ? [pause] : []
}

/** Returns all open pauses in the session's tree, its own first; undefined while anything in the tree can still progress. */
const waitingPauses = async (
  context: SessionsContext,
  row: SessionRow,
): Promise<readonly [PauseRow, ...PauseRow[]] | undefined> => {
  if (row.status !== "paused") return undefined
  const below = (await descendantsOf(context.store, row)).filter((other) => !isFinal(other.status))
  const pauses: PauseRow[] = []
  for (const session of [row, ...below]) {
    const [own] = await openPauseOf(context, session)
    if (own !== undefined) pauses.push(own)
    else if (session !== row && !hasDescendant(session, below)) return undefined
  }
  const [first, ...others] = pauses
  return first === undefined ? undefined : [first, ...others]
}

/** Returns whether a paused session without its own pause waits for a session below it. */
const hasDescendant = (session: SessionRow, rows: readonly SessionRow[]): boolean =>
  session.status === "paused" && rows.some((other) => other.parentId === session.id)

/** Returns the outcome document for the session's current rows; undefined while the session, or one below it, can progress. */
export const settledDocument = async (
  context: SessionsContext,
  row: SessionRow,
): Promise<OutcomeDocument | undefined> => {
  if (isFinal(row.status)) return await finalDocument(context.store, row)
  const pauses = await waitingPauses(context, row)
  return pauses === undefined ? undefined : await pausedDocument(context.store, row, pauses)
}

/** Returns the outcome document of a session, after asking the engine; undefined while it is running. Writes nothing. */
export const outcome = async (context: SessionsContext, sessionId: string): Promise<OutcomeDocument | undefined> => {
  const { row } = await inspectSession(context, await requireSession(context.store, sessionId))
  return await settledDocument(context, row)
}
