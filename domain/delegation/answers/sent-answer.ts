import type { z } from "zod"
import type { sentEffectSchema } from "../../../contracts/http/send-message.ts"
import { advise } from "../../advice/advise.ts"
import type { Surface } from "../../advice/surface.ts"
import { assertNever } from "../../assert-never.ts"
import { toolAnswerOf, type ToolAnswer } from "../tool-answer.ts"

/** What a message to a session does. */
export type SentEffect = z.infer<typeof sentEffectSchema>

/** A message that was sent. */
export interface SentMessage {
  readonly runId: string
  readonly effect: SentEffect
  /** `applied`: its workflow has taken it. `accepted`: it is stored, and will be taken. */
  readonly state: "applied" | "accepted"
}

const sentText = (sessionId: string, { runId, effect }: SentMessage): string => {
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

/** Returns the answer of `sessions_send`, and of `subagents` with `send` or `steer`. */
export const sentAnswer = (sessionId: string, sent: SentMessage, surface: Surface): ToolAnswer =>
  toolAnswerOf({
    text: sentText(sessionId, sent),
    data: { session_id: sessionId, run_id: sent.runId, state: sent.state, effect: sent.effect },
    next: advise({ about: "result", ids: [sessionId] }, surface),
  })
