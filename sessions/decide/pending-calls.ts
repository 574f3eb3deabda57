import { isFinal } from "../../domain/run/is-final.ts"
import type { PauseRow } from "../../store/store.ts"
import type { PendingCalls } from "./approval.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { shownCall } from "./shown-call.ts"
import { requireSession } from "../view/require-session.ts"
import { descendantsOf } from "../view/session-tree.ts"

const callsOf = (pause: PauseRow): PendingCalls["pending"] =>
  pause.calls.map((call) => ({
    ...shownCall(call),
    session_id: pause.sessionId,
    checkpoint_id: pause.checkpointId,
  }))

/** Returns the pending calls of a session, then those of its descendants. */
export const pendingCalls = async (context: SessionsContext, sessionId: string): Promise<PendingCalls> => {
  const { store } = context
  const row = await requireSession(store, sessionId)
  const open = [row, ...(await descendantsOf(store, row))].filter((each) => !isFinal(each.status))
  const pauses = await Promise.all(open.map((each) => store.pauses.current(each.id)))
  const own = pauses.find((pause) => pause?.sessionId === row.id)
  return {
    run_id: own?.runId ?? row.runId,
    checkpoint_id: own?.checkpointId ?? null,
    pending: pauses.flatMap((pause) => (pause === undefined ? [] : callsOf(pause))),
  }
}
