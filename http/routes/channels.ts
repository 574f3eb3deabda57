import type { FastifyInstance } from "fastify"
import type { ZodTypeProvider } from "fastify-type-provider-zod"
import { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Config } from "../../contracts/config/config.ts"
import { channelAnswerSchema, type ChannelMessage, channelMessageSchema } from "../../contracts/http/channels.ts"
import type { SignatureGuard } from "../security/guard-requests.ts"
import type { HttpContext } from "../http-options.ts"
import { forged, parseJson } from "../inbound/inbound-request.ts"
import { webhookOf } from "../inbound/read-standard.ts"
import { refusals } from "../openapi.ts"

/** Signing secrets by channel. @throws AdjutantError `invalid_config` for one that is not set */
export const channelSecrets = (
  channels: Config["channels"],
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(channels).map(([name, { secretEnv }]) => {
      const secret = env[secretEnv]?.trim() ?? ""
      if (secret === "")
        throw new AdjutantError("invalid_config", `channels.${name} needs ${secretEnv}: set it, or remove the channel`)
      return [name, secret]
    }),
  )

/** @throws AdjutantError `unauthorized`, `invalid_json`, `invalid_argument` */
const readMessage = (body: Buffer, headers: Readonly<Record<string, unknown>>, secret: string): ChannelMessage => {
  const header = (name: string): string => {
    const value = headers[name]
    return typeof value === "string" ? value : ""
  }
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
  try {
    const signed = Object.fromEntries(names.map((name) => [name, header(name)]))
    webhookOf(secret).verify(body, signed, { jsonParse: false })
  } catch {
    throw forged()
  }
  const parsed = channelMessageSchema.safeParse(parseJson(body.toString("utf8")))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AdjutantError(
    "invalid_argument",
    `${["body", ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "invalid"}`,
  )
}

/** What people write in the threads of a channel, signed by the channel. */
export const channelRoutes = async (
  parent: FastifyInstance,
  { client }: HttpContext,
  at: { readonly secrets: ReadonlyMap<string, string>; readonly guard: SignatureGuard },
): Promise<void> => {
  await parent.register(async (plain) => {
    const app = plain.withTypeProvider<ZodTypeProvider>()
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
    app.post(
      "/v1/channels/:name",
      {
        config: { access: "signed" },
        schema: {
          summary: "Receive a message that somebody wrote in a thread of a channel",
          tags: ["channels"],
          security: [],
          params: z.object({ name: z.string().min(1).max(64) }),
          response: { 200: channelAnswerSchema, 202: channelAnswerSchema, ...refusals },
        },
      },
      async (request, reply) => {
        const { body, params, headers } = request
        const secret = at.secrets.get(params.name)
        if (secret === undefined) {
          at.guard.refused(request, reply)
          throw new AdjutantError("route_not_found", "no such channel: see channels in the configuration")
        }
        let message: ChannelMessage
        try {
          message = readMessage(Buffer.isBuffer(body) ? body : Buffer.alloc(0), headers, secret)
        } catch (error) {
          if (error instanceof AdjutantError && error.code === forged().code) at.guard.refused(request, reply)
          throw error
        }
        const reception = await client.channels.receive(params.name, message)
        if (reception.kind === "ignored") return reply.code(200).send({ status: "ignored" })
        const { sessionId, runId } = reception
        return reply.code(202).send({ status: "accepted", session_id: sessionId, run_id: runId })
      },
    )
  })
}
