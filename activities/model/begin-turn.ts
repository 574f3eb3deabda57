import type { AssistantMessage } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput } from "../contract/agent-activities.ts"
import { startingSurroundings } from "../run/session-surroundings.ts"
import { firstFence } from "../transcript/activity-fence.ts"
import { appendRows, startsRun } from "../transcript/append-rows.ts"
import { closeStalePause } from "../transcript/close-pause.ts"
import { appendOutbox, isOnlyEvents, showOutbox } from "../transcript/write-outbox.ts"
import type { PromptSession } from "./model-prompt.ts"
import { offeredTools } from "./offer/offered-tools.ts"
import { missingServersNote } from "./offer/report-server-tools.ts"
import { earlierAnswer, superseded } from "./record-answer.ts"

/**
 * Writes what the workflow placed before the answer. Returns false if the transcript continues after this place already, which a stalled attempt finds:
 * the end of the transcript and a pause that is open now are not its own.
 */
const writePlaced = async (deps: AgentDependencies, input: CallModelInput, snapshot: RunSnapshot): Promise<boolean> => {
  const { sessionId, assistantSeq, step, append: items } = input
  const isStart = items.some((item) => startsRun(item, { step, items }))
  // In the text that starts the run, since the prefix of the prompt stays the same in all of its steps.
  const note = isStart ? missingServersNote(await offeredTools(deps, snapshot), deps.redact) : undefined
  const { patch, lead } = isStart ? await startingSurroundings(deps, sessionId, snapshot) : {}
  await appendRows(deps.store, input, { step, items, note, lead })
  return await deps.store.transaction(async (writes) => {
    if (!(await writes.messages.isEnd(sessionId, assistantSeq - 1, firstFence()))) return false
    await appendOutbox(writes, input, input.outbox)
    await closeStalePause(writes, input)
    // Readers see the texts of this step while the model works.
    if (input.append.length > 0) await writes.sessions.patch(sessionId, { headSeq: assistantSeq - 1, ...patch })
    return true
  }, "crash")
}

export type Begun =
  /** `session`: if it was read at the end of its transcript. */
  | { readonly kind: "open"; readonly session: PromptSession | undefined }
  /** An earlier attempt has written the answer. */
  | { readonly kind: "answered"; readonly message: AssistantMessage }

/**
 * Brings the transcript up to the place of the answer. A step without anything new writes nothing here: that it has begun is shown meanwhile, and written with
 * the answer.
 */
export const beginTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  snapshot: RunSnapshot,
): Promise<Begun> => {
  const from = { seq: input.assistantSeq, since: firstFence() }
  const tail = await deps.store.messages.tail(input.sessionId, from)
  const isAtEnd = tail !== undefined && tail.row === undefined && !tail.isPaused
  if (isAtEnd && input.append.length === 0 && isOnlyEvents(input.outbox)) {
    showOutbox(deps, input, input.outbox)
    return { kind: "open", session: tail.session }
  }
  if (await writePlaced(deps, input, snapshot)) return { kind: "open", session: undefined }
  const message = earlierAnswer(input, (await deps.store.messages.tail(input.sessionId, from))?.row)
  if (message === undefined) throw superseded()
  return { kind: "answered", message }
}
