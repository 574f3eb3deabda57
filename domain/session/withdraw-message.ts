import type { Refusal } from "../calls/apply-decision.ts"
import type { SessionState } from "./session-state.ts"
import type { MessageState } from "./accept-message.ts"

type Queues = Pick<SessionState, "followUps" | "waiting" | "announcedSteering">

/** Steering that has reached its safe point, and an answer, have already had their effect. */
const isUnread = ({ followUps, waiting, announcedSteering }: Queues, id: string): boolean =>
  followUps.some((message) => message.id === id) ||
  waiting.some(({ source, inboxId }) => source === "steering" && inboxId === id && !announcedSteering.includes(id))

/** Returns why a message cannot be taken back; undefined while it waits for a run to read it. At the end of a run, the next one is already on its way. */
export const refuseWithdrawal = (state: Queues, messageState: MessageState, id: string): Refusal | undefined =>
  messageState !== "ended" && isUnread(state, id)
    ? undefined
    : { code: "message_not_queued", message: `message ${id} is no longer queued: the run has read it` }

/** Takes a message back that `refuseWithdrawal` did not refuse. Its id stays known: a late signal does not bring it again. */
export const removeMessage = (state: Queues, id: string): void => {
  state.followUps = state.followUps.filter((message) => message.id !== id)
  state.waiting = state.waiting.filter(({ inboxId }) => inboxId !== id)
}
