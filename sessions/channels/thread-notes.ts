import { pendingToolNames } from "../../domain/approval/resume-command.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { requestWork } from "../../engine/call-engine.ts"
import { startDelivery } from "../delivery/start-delivery.ts"
import { storeThreadMessage } from "../delivery/thread-message.ts"
import { openPausesOf } from "../pauses/open-pauses.ts"
import { digitsOf } from "../session-id.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import type { BindingRow, SessionRow } from "../../store/store.ts"
import { liveBinding } from "../delivery/live-binding.ts"

interface ThreadNote {
  readonly sessionId: string
  /** What makes the note one, however often it is posted. */
  readonly of: readonly string[]
  readonly text: string
  /** The present binding, if it is not given: what is answered can have ended it. */
  readonly binding?: BindingRow | undefined
}

/** Posts a text of Adjutant itself in the thread of a session, if it has one. */
export const postInThread = async (
  context: SessionsContext,
  { sessionId, of, text, binding: given }: ThreadNote,
): Promise<void> => {
  const { store } = context
  const row = await requireSession(store, sessionId)
  const binding = given ?? (await liveBinding(store, sessionId))
  if (binding === undefined) return
  const { channel, threadKey } = binding
  const key = `dlv_${digitsOf(JSON.stringify([store.storeId, channel, threadKey, ...of])).slice(-32)}`
  const note = { key, row, runId: row.runId ?? "", event: "message", binding, text }
  const delivery = await storeThreadMessage(store, note)
  await requestWork(context, () => startDelivery(context, delivery))
}

/** A step has fewer calls than that. */
const mostResults = 200

const waitTools: readonly string[] = ["sessions_yield", "wait_for_tasks"]

/** Returns whether the session has nothing to do but wait for what is below it: the last that its model said leads to nothing else. */
const onlyWaits = async (
  { store }: SessionsContext,
  row: SessionRow,
  below: readonly SessionRow[],
): Promise<boolean> => {
  if (!below.some(({ status, runId }) => runId !== null && !isFinal(status))) return false
  // The places of results that are still to come are counted, too.
  const headSeq = await store.messages.placedHead(row.id)
  const last = (await store.messages.read(row.id, { fromSeq: Math.max(1, headSeq - mostResults), headSeq })).at(-1)
  if (last?.message.role !== "assistant") return false
  return last.message.parts.every((part) => part.type !== "tool_call" || waitTools.includes(part.call.name))
}

/** Says why a message is queued, if it is: an approval is pending, which writing does not give, or the agent is still at work. */
export const sayWhatWaits = async (context: SessionsContext, sessionId: string, messageId: string): Promise<void> => {
  const { store } = context
  const row = await requireSession(store, sessionId)
  if (isFinal(row.status)) return
  const below = await descendantsOf(store, row)
  const open = await openPausesOf(store, [row, ...below])
  const calls = open.flatMap((pause) => pause.calls)
  const isWaiting = await onlyWaits(context, row, below)
  const text =
    calls.length === 0
      ? "The agent is still at work on what was written before. Your message is queued: the agent reads it next."
      : `Waiting for approval of: ${pendingToolNames(calls)}. Writing here does not decide.${isWaiting ? "" : " Your message is queued until someone has decided with the web page, the command line or a link."}`
  if (calls.length === 0 && isWaiting) return
  await postInThread(context, { sessionId, of: [messageId, "queued"], text })
}
