import type { Status } from "../../../contracts/status.ts"
import { isFinal } from "../../run/is-final.ts"
import { toolAnswerOf, type ToolAnswer } from "../tool-answer.ts"

/** A sub-agent after a request to stop it. */
export interface Stopped {
  readonly id: string
  /** Not final while its end is awaited. */
  readonly status: Status
  /** It had ended before. */
  readonly hadEnded: boolean
}

const stoppedText = ({ id, status, hadEnded }: Stopped): string => {
  if (hadEnded) return `${id} had already ended: ${status}.`
  return isFinal(status) ? `${id}: ${status}.` : `${id} is being cancelled.`
}

const silencedBy = (stopped: readonly Stopped[]) => stopped.flatMap(({ id, hadEnded }) => (hadEnded ? [] : [id]))

/** Returns the answer of `cancel_task`. */
export const cancelledAnswer = (stopped: Stopped): ToolAnswer =>
  toolAnswerOf({
    text: `Task ${stoppedText(stopped)}`,
    data: { task_id: stopped.id, status: stopped.status },
    silenced: silencedBy([stopped]),
  })

/** Returns the answer of `subagents {action: "kill"}`. */
export const killedAnswer = (stopped: readonly Stopped[]): ToolAnswer =>
  toolAnswerOf({
    text: stopped.length === 0 ? "Nothing was running." : stopped.map(stoppedText).join("\n"),
    data: { killed: stopped.map(({ id, status }) => ({ session_id: id, status })) },
    silenced: silencedBy(stopped),
  })
