import { randomBytes } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import type { Message } from "../../contracts/message.ts"
import { readLastText } from "../../sessions/outcome/read-last-text.ts"
import type { PauseRow, Store } from "../../store/store.ts"
import type { OpenPauseInput, RecordActivities } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { appendRows } from "./append-rows.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { pauseOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { writeOutbox } from "./write-outbox.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"

const maxShownCharacters = 2_000
const maxShownCall = 600

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

const callsOf = (message: Message | undefined, ids: readonly string[]) =>
  toolCallsOf(message)
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name, arguments: args }) => ({ id, name, arguments: args ?? {} }))

const messageOf = async (store: Pick<Store, "messages">, input: OpenPauseInput): Promise<string> => {
  if (input.notice !== undefined) return input.notice
  return await readLastText(store, input)
}

type WantedPause = Omit<PauseRow, "openedAt" | "closedAt">

const isSame = (row: PauseRow, wanted: WantedPause): boolean =>
  row.closedAt === null && row.type === wanted.type && isDeepStrictEqual(row.calls, wanted.calls)

/** Far above the pauses of one run. */
const ordinalsPerAttempt = 1_000

/**
 * Returns the row of this pause: a new one, or the one that an earlier attempt wrote. A row with the same number but other calls, or a closed one, comes
 * from an abandoned course of events (a worker's death, a reset): it is closed and not changed otherwise.
 */
const openRow = async (store: Pick<Store, "pauses">, wanted: WantedPause): Promise<PauseRow> => {
  for (let attempt = 0; ; attempt += 1) {
    const row = await store.pauses.open({ ...wanted, ordinal: wanted.ordinal + attempt * ordinalsPerAttempt })
    if (row.checkpointId === wanted.checkpointId || isSame(row, wanted)) return row
    if (row.closedAt === null) await store.pauses.close(wanted.sessionId, row.checkpointId)
  }
}

/** Opens the pause with an unguessable checkpoint; a retry gets the same one. */
export const createOpenPause =
  ({
    store,
    announcer,
    redact,
  }: Pick<AgentDependencies, "store" | "announcer" | "redact">): RecordActivities["openPause"] =>
  async (input) => {
    await appendRows(store, input, { step: input.stepsTaken, items: input.append })
    await writeOutbox(store, input, input.outbox)
    const assistant = await store.messages.get(input.sessionId, input.assistantSeq)
    // What people are shown. The call itself is executed as the model wrote it.
    const calls = redactTexts(callsOf(assistant?.message, input.callIds), redact)
    const isProtected = (id: string): boolean => input.protectedIds?.includes(id) === true
    const pause = await openRow(store, {
      checkpointId: `cp_${randomBytes(18).toString("base64url")}`,
      sessionId: input.sessionId,
      runId: input.runId,
      ordinal: input.ordinal,
      type: input.type,
      calls: calls.map((call) => (isProtected(call.id) ? { ...call, isProtected: true } : call)),
      message: await messageOf(store, input),
    })
    await store.runs.patch(input.runId, { status: "paused", stepsTaken: input.stepsTaken })
    await store.sessions.patch(input.sessionId, { status: "paused", headSeq: input.headSeq })
    await store.events.append(input.sessionId, [
      {
        type: "run-paused",
        runId: input.runId,
        ordinal: pauseOrdinal(pause.ordinal),
        data: {
          checkpoint_id: pause.checkpointId,
          pause_reason: { type: input.type, ...(calls.length > 0 ? { pending_tool_calls: calls } : {}) },
          agent_message: pause.message,
        },
      },
    ])
    const deliveries = await announcer.paused({ sessionId: input.sessionId, checkpointId: pause.checkpointId })
    return {
      checkpointId: pause.checkpointId,
      calls: calls.map(({ id, name, arguments: args }) => ({
        id,
        name,
        preview: cut(JSON.stringify(args, null, 1), maxShownCall),
      })),
      message: cut(pause.message, maxShownCharacters),
      ...(deliveries.length === 0 ? {} : { deliveries }),
    }
  }

/** Creates the activity that records decisions on some calls of a pause: the store then shows only the calls that are still pending. */
export const createRecordDecisions =
  ({ store }: Pick<AgentDependencies, "store">): RecordActivities["recordDecisions"] =>
  async (input) => {
    await store.pauses.setCalls(input.sessionId, input.checkpointId, input.remainingCallIds)
    await writeOutbox(store, input, input.outbox)
  }
