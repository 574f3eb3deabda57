import { randomBytes } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { Message } from "../../contracts/message.ts"
import { argumentPreview } from "../../domain/preview/argument-preview.ts"
import { boundPreview, previewLimit } from "../../domain/preview/bound-preview.ts"
import { previewLine } from "../../domain/preview/preview-lines.ts"
import { ruleFor } from "../../domain/people/approval-rule.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { shownCall } from "../../domain/preview/shown-call.ts"
import { readLastText } from "../../sessions/rows/read-last-text.ts"
import type { PauseRow, Store, WritableStore } from "../../store/store.ts"
import type { OpenPauseInput, RunStoreActivities } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { wholeSpending } from "../limits/reset-spending.ts"
import { firstFence, patchOwnRun } from "../transcript/activity-fence.ts"
import { appendRows } from "../transcript/append-rows.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { pauseOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { writeOutbox } from "../transcript/write-outbox.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxShownCharacters = 2_000
const maxShownCall = 300

const cut = (text: string, max: number): string => (text.length <= max ? text : `${startOf(text, max - 1)}…`)

const callsOf = (message: Message | undefined, ids: readonly string[]) =>
  toolCallsOf(message)
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name, arguments: args }) => ({ id, name, arguments: args ?? {} }))

/** Returns the previews that a worker has made of the calls, by call id. */
const storedPreviews = async (
  store: Pick<Store, "callPreviews">,
  { sessionId, resultSeqs = [] }: OpenPauseInput,
): Promise<ReadonlyMap<string, CallPreview>> => {
  if (resultSeqs.length === 0) return new Map()
  const rows = await store.callPreviews.read(sessionId, { from: Math.min(...resultSeqs), to: Math.max(...resultSeqs) })
  return new Map(rows.map(({ callId, preview }) => [callId, preview]))
}

/** Returns the arguments that approvers gave to calls which are asked about again, by call id. */
const editedArguments = async (
  { callEdits }: Pick<Store, "callEdits">,
  { sessionId, editedSeqs = [] }: OpenPauseInput,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
  const rows = await Promise.all(editedSeqs.map((seq) => callEdits.get(sessionId, seq)))
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.callId, row.arguments] as const])))
}

/** Returns the calls as people are shown them. A call without a stored preview is shown with its arguments. */
const shownCalls = async (
  { store, redact, workerPolicy }: Pick<AgentDependencies, "store" | "redact" | "workerPolicy">,
  input: OpenPauseInput,
): Promise<PauseRow["calls"]> => {
  const assistant = await store.messages.get(input.sessionId, input.assistantSeq)
  // Secrets are removed from what is shown only; the call runs as the model wrote it.
  const edited = await editedArguments(store, input)
  const proposed = callsOf(assistant?.message, input.callIds)
  const calls = redactTexts(
    proposed.map((call) => ({ ...call, arguments: edited.get(call.id) ?? call.arguments })),
    redact,
  )
  const previews = await storedPreviews(store, input)
  return calls.map((call) => ({
    ...call,
    ...withoutUndefined({ rule: ruleFor(workerPolicy?.approvals ?? [], call.name) }),
    preview: boundPreview(previews.get(call.id) ?? argumentPreview(call), previewLimit(calls.length)),
    ...(input.protectedIds?.includes(call.id) === true ? { isProtected: true } : {}),
  }))
}

const pauseMessage = async (store: Pick<Store, "messages">, input: OpenPauseInput): Promise<string> => {
  if (input.notice !== undefined) return input.notice
  return await readLastText(store, input)
}

type WantedPause = Omit<PauseRow, "openedAt" | "closedAt">

/** Returns the calls without their previews: a file may have changed since the first attempt, so the same call can have another preview in a retry. */
const identities = (calls: PauseRow["calls"]) => calls.map((call) => ({ ...call, preview: null }))

const isSamePause = (row: PauseRow, wanted: WantedPause): boolean =>
  row.closedAt === null &&
  row.type === wanted.type &&
  // Without calls, it is what it asks.
  (wanted.calls.length > 0 || row.message === wanted.message) &&
  isDeepStrictEqual(identities(row.calls), identities(wanted.calls))

/** The distance between the numbers that are tried: no run has as many pauses. */
const ordinalsPerAttempt = 1_000

/**
 * Returns the row of this pause: a new one, or the one that an earlier attempt wrote. A row with the same number but other calls, or a closed one, comes
 * from an abandoned course of events (a worker's death, a reset): it is closed and not changed otherwise.
 */
const openRow = async (store: Pick<Store, "pauses">, wanted: WantedPause): Promise<PauseRow> => {
  for (let attempt = 0; ; attempt += 1) {
    const row = await store.pauses.open({ ...wanted, ordinal: wanted.ordinal + attempt * ordinalsPerAttempt })
    if (row.checkpointId === wanted.checkpointId || isSamePause(row, wanted)) return row
    if (row.closedAt === null) await store.pauses.close(wanted.sessionId, row.checkpointId)
  }
}

/** Shows the run as paused, unless this attempt comes too late: the transcript has continued after the pause, or the run has ended. */
const showPaused = async (writes: WritableStore, input: OpenPauseInput, checkpointId: string): Promise<void> => {
  const { sessionId, runId, headSeq, stepsTaken, spending } = input
  const isEnd = await writes.messages.isEnd(sessionId, headSeq, firstFence())
  if ((await writes.pauses.current(sessionId))?.checkpointId !== checkpointId) return
  const run = { status: "paused", stepsTaken, spending } as const
  const session = { status: "paused", headSeq, blockedBy: null } as const
  if (isEnd && (await patchOwnRun(writes, { sessionId, runId, run, session }))) return
  const ended = await writes.runs.get(runId)
  if (ended !== undefined && isFinal(ended.status)) await writes.pauses.close(sessionId, checkpointId)
}

const announcePause = (writes: WritableStore, input: OpenPauseInput, pause: PauseRow, calls: PauseRow["calls"]) =>
  writes.events.append(input.sessionId, [
    {
      type: "run-paused",
      runId: input.runId,
      ordinal: pauseOrdinal(pause.ordinal),
      data: {
        checkpoint_id: pause.checkpointId,
        pause_reason: { type: input.type, ...(calls.length > 0 ? { pending_tool_calls: calls.map(shownCall) } : {}) },
        agent_message: pause.message,
      },
    },
  ])

/** Opens the pause with an unguessable checkpoint; a retry gets the same one. */
export const createOpenPause =
  ({
    store,
    announcer,
    redact,
    workerPolicy,
  }: Pick<AgentDependencies, "store" | "announcer" | "redact" | "workerPolicy">): RunStoreActivities["openPause"] =>
  async (given) => {
    const input = given.counted === undefined ? given : { ...given, spending: await wholeSpending(store, given) }
    await appendRows(store, input, { step: input.stepsTaken, items: input.append })
    await writeOutbox(store, input, input.outbox)
    const calls = await shownCalls({ store, redact, workerPolicy }, input)
    const pause = await openRow(store, {
      checkpointId: `cp_${randomBytes(18).toString("base64url")}`,
      sessionId: input.sessionId,
      runId: input.runId,
      ordinal: input.ordinal,
      type: input.type,
      calls,
      message: await pauseMessage(store, input),
    })
    await store.transaction(async (writes) => {
      await showPaused(writes, input, pause.checkpointId)
      await announcePause(writes, input, pause, calls)
    })
    const deliveries = await announcer.paused({ sessionId: input.sessionId, checkpointId: pause.checkpointId })
    return {
      checkpointId: pause.checkpointId,
      calls: pause.calls.map(({ id, name, preview }) => ({
        id,
        name,
        preview: cut(previewLine(preview), maxShownCall),
      })),
      message: cut(pause.message, maxShownCharacters),
      ...(deliveries.length === 0 ? {} : { deliveries }),
    }
  }

/** Creates the activity that records decisions on some calls of a pause: the store then shows only the calls that are still pending. */
export const createRecordDecisions =
  ({ store }: Pick<AgentDependencies, "store">): RunStoreActivities["recordDecisions"] =>
  async (input) => {
    await store.pauses.setCalls(input.sessionId, input.checkpointId, input.remainingCallIds)
    await writeOutbox(store, input, input.outbox)
  }
