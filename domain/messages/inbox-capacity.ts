import type { EarlyMessage, SessionState, WaitingText } from "../run/session-state.ts"
import type { SessionMessage } from "./session-message.ts"
import { type ToolBatch, unwrittenAnswers } from "../run/tool-batch.ts"

/**
 * Most that may wait in a session's workflow, in characters of its JSON. All of it goes into one payload (the next activity's input, or the next
 * execution's), of which the engine takes 2 MB and no more: a longer one would end the session.
 */
export const maxWaitingCharacters = 500_000

const charactersOf = (value: unknown): number => JSON.stringify(value).length

const answersOf = (batch: ToolBatch | null): number =>
  batch === null
    ? 0
    : unwrittenAnswers(batch).reduce(
        (sum, { state }) => sum + (state.at === "settled" ? charactersOf(state.answer) : 0),
        0,
      )

/** Whether there is room for one more text, message or early arrival. */
export const hasRoomFor = (state: SessionState, arrival: WaitingText | SessionMessage | EarlyMessage): boolean =>
  charactersOf([state.waiting, state.followUps, state.early, arrival]) + answersOf(state.run.batch) <=
  maxWaitingCharacters

/** Whether the answers of this batch, where it replaces the run's own, leave room. */
export const hasRoomForAnswers = (state: SessionState, batch: ToolBatch): boolean =>
  charactersOf([state.waiting, state.followUps, state.early]) + answersOf(batch) <= maxWaitingCharacters
