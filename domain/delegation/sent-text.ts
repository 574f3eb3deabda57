import { assertNever } from "../assert-never.ts"

/** What a message to a session does. */
export type SentEffect = "started" | "queued" | "answered" | "steered"

/** Returns what an agent is told about a message that it sent. */
export const sentText = (sessionId: string, runId: string, effect: SentEffect): string => {
  switch (effect) {
    case "started":
      return `Started run ${runId} of ${sessionId} with the message.`
    case "queued":
      return `Queued for ${sessionId}: a new run reads the message when the current run ${runId} has ended.`
    case "answered":
      return `Answered the question of ${sessionId}: its run ${runId} continues with the message.`
    case "steered":
      return `Steered ${sessionId}: its run ${runId} reads the message at its next safe point.`
    default:
      return assertNever(effect)
  }
}
