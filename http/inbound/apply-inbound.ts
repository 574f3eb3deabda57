import type { RemoteActor } from "../../sessions/actor.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import { messageIdOf } from "../answers/digest-id.ts"
import type { HttpContext } from "../http-options.ts"
import type { Sent } from "../../sessions/send-request.ts"
import type { InboundCommand, InboundTarget } from "./inbound-command.ts"

/** Returns the session that a command is about: the one that it names, or the one of its checkpoint. */
export const namedSession = async (
  { client }: Pick<HttpContext, "client">,
  { taskId, checkpointId }: InboundTarget,
): Promise<string | undefined> =>
  taskId ?? (checkpointId === undefined ? undefined : await client.sessionOfCheckpoint(checkpointId))

/** Sends a command to its session as a durable signal, without waiting for a worker. A repeated `deliveryId` has no further effect. */
export const applyInbound = async (
  context: HttpContext,
  command: InboundCommand,
  { sessionId, ...from }: { readonly sessionId: string; readonly actor: RemoteActor; readonly deliveryId: string },
): Promise<Sent> => {
  const { client } = context
  const { checkpointId, seenAtMs } = command
  const common = { sessionId, checkpointId, seenAtMs, delivery: "signal", actor: from.actor } as const
  switch (command.kind) {
    case "approve":
    case "reject": {
      const { kind, reason, callIds } = command
      const decision: CallDecision =
        kind === "approve"
          ? { action: "accept" }
          : { action: "reject", ...(reason === undefined ? {} : { content: reason }) }
      const decisions =
        callIds === "all" ? { all: decision } : { decisions: Object.fromEntries(callIds.map((id) => [id, decision])) }
      return await client.decide({ ...common, ...decisions, unlisted: "pending" })
    }
    case "input":
    case "steer": {
      const type = command.kind === "input" ? "message" : "steering"
      const messageId = messageIdOf(from.deliveryId)
      return await client.send({ ...common, type, text: command.text, messageId })
    }
  }
}
