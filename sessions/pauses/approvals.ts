import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { approvalSchema } from "../../contracts/http/approvals.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { PauseRow, SessionRow } from "../../store/store.ts"
import type { PendingApproval, ApprovalFilter } from "./approval.ts"
import { shownCall } from "../../domain/preview/shown-call.ts"
import { viewOf } from "../view-of.ts"
import { isOfCaller } from "../rows/is-of-caller.ts"
import type { Page } from "../rows/page.ts"
import { requireSession } from "../rows/require-session.ts"
import { openPausesOf } from "./open-pauses.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import type { SessionsContext } from "../sessions-context.ts"

type StoreContext = Pick<SessionsContext, "store">

/** Returns the pending calls of a pause, each with its session and checkpoint. */
export const callsWithOwner = ({ calls, sessionId, checkpointId }: PauseRow): PendingToolCall[] =>
  calls.map((call) => ({ ...shownCall(call), task_id: sessionId, checkpoint_id: checkpointId }))

const fields = approvalSchema.keyof().options
const named = { rootId: "root_session_id" } as const

export const approvalOf = (pause: PauseRow, { sessionKey, rootId, agent, title }: SessionRow): PendingApproval =>
  viewOf(fields, {
    row: { ...pause, sessionKey, rootId, agent, title },
    named,
    computed: { pending: callsWithOwner(pause) },
  })

/** Returns the open pauses of a session and of everything below it, oldest first. */
const openPausesIn = async ({ store }: StoreContext, sessionId: string): Promise<readonly PauseRow[]> => {
  const row = await requireSession(store, sessionId)
  return await openPausesOf(store, [row, ...(await descendantsOf(store, row))])
}

/** Returns everything that waits for a person, oldest first. @throws AdjutantError `session_not_found` for the session of the filter */
export const approvals = async (context: StoreContext, filter: ApprovalFilter = {}): Promise<Page<PendingApproval>> => {
  const { store } = context
  const { pauses, sessions } = store
  const { caller } = filter
  const open = await (filter.root === undefined ? pauses.listOpen() : openPausesIn(context, filter.root))
  const found = await Promise.all(
    open.map(async (pause) => {
      if (caller !== undefined && !(await isOfCaller(store, pause.sessionId, caller))) return []
      const row = await sessions.get(pause.sessionId)
      return row === undefined || row.deletedAt !== null || isFinal(row.status) ? [] : [approvalOf(pause, row)]
    }),
  )
  return { items: found.flat(), next_cursor: null }
}
