import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import { argumentPreview } from "../../domain/preview/argument-preview.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import type { PauseRow, Store } from "../../store/store.ts"
import type { PendingCalls } from "./approval.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { type PausedCall, shownCall } from "../../domain/preview/shown-call.ts"
import { requireSession } from "../rows/require-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"

const pendingCallsOf = (pause: PauseRow): PendingCalls["pending"] =>
  pause.calls.map((call) => ({
    ...shownCall(call),
    session_id: pause.sessionId,
    checkpoint_id: pause.checkpointId,
  }))

/** Returns the pending calls of a session, then those of its descendants. */
export const pendingCallsOfTree = async (context: SessionsContext, sessionId: string): Promise<PendingCalls> => {
  const { store } = context
  const row = await requireSession(store, sessionId)
  const open = [row, ...(await descendantsOf(store, row))].filter((each) => !isFinal(each.status))
  const pauses = await Promise.all(open.map((each) => store.pauses.current(each.id)))
  const own = pauses.find((pause) => pause?.sessionId === row.id)
  return {
    run_id: own?.runId ?? row.runId,
    checkpoint_id: own?.checkpointId ?? null,
    pending: pauses.flatMap((pause) => (pause === undefined ? [] : pendingCallsOf(pause))),
  }
}

interface PreviewContext {
  readonly store: Pick<Store, "callPreviews">
}

/** Returns the arguments as text: of a call that paused when previews were stored cut, they say all of it. Those of a merge only name its changes. */
const argumentsPreview = (call: PausedCall): CallPreview => {
  const { diff: _, is_cut: _isCut, ...facts } = call.preview
  return call.name === mergeToolName ? call.preview : { ...facts, text: argumentPreview(call).text }
}

const wholePreviewOf = async ({ store }: PreviewContext, sessionId: string, call: PausedCall): Promise<CallPreview> => {
  if (call.preview.is_cut !== true) return call.preview
  const stored = await store.callPreviews.latest(sessionId, call.id)
  return stored === undefined || stored.is_cut === true ? argumentsPreview(call) : stored
}

/** Returns the calls of a pause with all of their previews: the pause has the beginning of a long one. */
export const wholeCalls = async (
  context: PreviewContext,
  { sessionId, calls }: Pick<PauseRow, "sessionId" | "calls">,
): Promise<PauseRow["calls"]> => {
  const whole: PausedCall[] = []
  for (const call of calls) whole.push({ ...call, preview: await wholePreviewOf(context, sessionId, call) })
  return whole
}

/**
 * Returns all of the preview of a call that waits in a session.
 * @throws AdjutantError `session_not_found`, `call_not_found` if the call is not pending
 */
export const wholePreview = async (
  { store }: Pick<SessionsContext, "store">,
  sessionId: string,
  callId: string,
): Promise<CallPreview> => {
  await requireSession(store, sessionId)
  const pause = await store.pauses.current(sessionId)
  const call = pause?.calls.find(({ id }) => id === callId)
  if (call === undefined)
    throw new AdjutantError(
      "call_not_found",
      `call ${callId} is not pending in session ${sessionId}: run "adjutant approvals" to see what is`,
    )
  return await wholePreviewOf({ store }, sessionId, call)
}
