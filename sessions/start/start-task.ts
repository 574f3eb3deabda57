import type { SessionsContext } from "../sessions-context.ts"
import { requireDeliveryRoom } from "../delivery/require-delivery-room.ts"
import { sendMessage } from "../messages/send-message.ts"
import type { SendRequest } from "../send-request.ts"
import { createSession } from "./create-session.ts"
import type { CreateSessionRequest, Started } from "../start-request.ts"

/** A session and its first message. With preset ids, a repeated request starts one run. */
export interface StartTaskRequest
  extends Omit<CreateSessionRequest, "parentId">, Pick<SendRequest, "text" | "limits" | "messageId"> {}

/**
 * Creates a session and starts its first run. Settings that could not run are refused before anything is stored.
 * @throws AdjutantError of the resolution, `forbidden`, `rate_limited`, `temporal_unavailable`
 */
export const startTask = async (context: SessionsContext, request: StartTaskRequest): Promise<Started> => {
  const { text, limits = {}, messageId, ...session } = request
  const { agent, model, cwd, actor } = session
  await requireDeliveryRoom(context)
  await context.resolveRun({ ...limits, prompt: text, agent, model, cwd, actor })
  const { id: sessionId } = await createSession(context, session)
  const { runId } = await sendMessage(context, {
    sessionId,
    text,
    type: "message",
    limits,
    actor,
    ...(messageId === undefined ? {} : { messageId }),
  })
  return { sessionId, runId }
}
