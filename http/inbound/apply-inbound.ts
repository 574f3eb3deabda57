import type { RemoteActor } from "../../sessions/authority/actor.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import { messageIdOf } from "../answers/digest-id.ts"
import type { HttpContext } from "../http-options.ts"
import type { InboundCommand, InboundDecision } from "./inbound-command.ts"

/** Accepted difference between the sender's clock and this one. */
const clockSkewMs = 60_000

/** Rejects a decision that was written before the current pause opened: its author cannot have seen that pause. */
const requireEarlierPause = async ({ store }: HttpContext, command: InboundDecision): Promise<void> => {
  if (command.writtenAtMs === undefined) return
  const pause = await store.pauses.current(command.taskId)
  if (pause !== undefined && Date.parse(pause.openedAt) > command.writtenAtMs + clockSkewMs)
    throw new AdjutantError(
      "checkpoint_stale",
      "the current pause opened after this decision was written; review it and decide again",
    )
}

/** Sends a command to the session as a durable signal, without waiting for a worker. A repeated `deliveryId` has no further effect. */
export const applyInbound = async (
  context: HttpContext,
  command: InboundCommand,
  from: { readonly actor: RemoteActor; readonly deliveryId: string },
): Promise<string> => {
  const { client } = context
  const { taskId: sessionId, checkpointId } = command
  const common = { sessionId, checkpointId, delivery: "signal", actor: from.actor } as const
  switch (command.kind) {
    case "approve":
    case "reject": {
      await requireEarlierPause(context, command)
      const { kind, reason, callIds } = command
      const decision: CallDecision =
        kind === "approve"
          ? { action: "accept" }
          : { action: "reject", ...(reason === undefined ? {} : { content: reason }) }
      const decisions =
        callIds === "all" ? { all: decision } : { decisions: Object.fromEntries(callIds.map((id) => [id, decision])) }
      return (await client.decide({ ...common, ...decisions, unlisted: "pending" })).runId
    }
    case "input":
    case "steer": {
      const type = command.kind === "input" ? "message" : "steering"
      const messageId = messageIdOf(from.deliveryId)
      return (await client.send({ ...common, type, text: command.text, messageId })).runId
    }
  }
}
