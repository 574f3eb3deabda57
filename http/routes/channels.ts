import { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { channelAnswerSchema } from "../../contracts/http/channels.ts"
import type { SignatureGuard } from "../security/guard-requests.ts"
import type { HttpContext } from "../http-options.ts"
import { addSignedRoutes, readSigned } from "../inbound/inbound-request.ts"
import { readChannelMessage } from "../inbound/read-channel-message.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** Adds the routes that receive messages from the threads of channels, signed by the channel. */
export const channelRoutes = async (
  parent: ZodApp,
  { client }: HttpContext,
  { secrets, guard }: { readonly secrets: ReadonlyMap<string, () => string>; readonly guard: SignatureGuard },
): Promise<void> =>
  await addSignedRoutes(parent, (app) => {
    app.post(
      "/v1/channels/:name",
      routeOf("channels", "receiveChannelMessage", "Receive a message from a thread of a channel", {
        access: "signed",
        params: z.object({ name: z.string().min(1).max(64) }),
        answers: { 200: channelAnswerSchema, 202: channelAnswerSchema },
      }),
      async (request, reply) => {
        const { name } = request.params
        const secret = secrets.get(name)
        if (secret === undefined) {
          guard.refused(request, reply)
          throw new AdjutantError("route_not_found", "channel not found; see channels in the configuration")
        }
        const message = readSigned(guard, { request, reply }, (inbound) => readChannelMessage(inbound, secret()))
        const received = await client.channels.receive(name, message)
        if (received.kind === "ignored") return reply.code(200).send({ status: "ignored" })
        const { sessionId, runId } = received
        return reply
          .code(202)
          .send({ status: "accepted", session_id: sessionId, ...(runId === null ? {} : { run_id: runId }) })
      },
    )
  })
