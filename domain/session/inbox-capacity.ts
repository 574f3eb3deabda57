import type { EarlyMessage, SessionState, WaitingText } from "./session-state.ts"
import type { SessionMessage } from "./session-message.ts"
import { editedCalls, approverNote, type ToolBatch, unwrittenAnswers } from "../calls/tool-batch.ts"

/**
 * The most data that may wait in a session's workflow, in characters of its JSON. All of it goes into one payload (the input of the next activity or
 * the next execution). The engine's limit for a payload is 2 MB, and exceeding it would end the session.
 */
export const maxWaitingCharacters = 500_000

const charactersOf = (value: unknown): number => JSON.stringify(value).length

const charactersOfNotes = (batch: ToolBatch): number =>
  batch.calls.reduce((sum, call) => sum + (approverNote(call).note?.length ?? 0), 0)

const answersOf = (batch: ToolBatch | null): number =>
  batch === null
    ? 0
    : unwrittenAnswers(batch).reduce(
        (sum, { state }) => sum + (state.at === "settled" ? charactersOf(state.answer) : 0),
        charactersOf(editedCalls(batch).map(({ state }) => state.edit)) + charactersOfNotes(batch),
      )

/** Returns whether there is room for one more text, message or early message. */
export const hasRoomFor = (state: SessionState, arrival: WaitingText | SessionMessage | EarlyMessage): boolean =>
  charactersOf([state.waiting, state.followUps, state.early, arrival]) + answersOf(state.run.batch) <=
  maxWaitingCharacters

/** Returns whether there is room for the answers of this batch if it replaces the run's current batch. */
export const hasRoomForAnswers = (state: SessionState, batch: ToolBatch): boolean =>
  charactersOf([state.waiting, state.followUps, state.early]) + answersOf(batch) <= maxWaitingCharacters
