import { createHash, timingSafeEqual } from "node:crypto"
import type { PayloadCodec } from "@temporalio/common"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { z } from "zod"
import { readEncryptionKeys } from "../../config/secrets/encryption-keys.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Encryption } from "../../contracts/config/encryption.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { codecOf } from "../../server/encryption/configured-codec.ts"
import type { HttpContext, HttpServerOptions } from "../http-options.ts"
import { bearerToken, type SignatureGuard } from "../security/guard-requests.ts"

/** A payload as Temporal's own tools send it: bytes as base64. */
const payloadSchema = z.looseObject({
  metadata: z.record(z.string(), z.string()).default({}),
  data: z.string().default(""),
})
const bodySchema = z.looseObject({ payloads: z.array(payloadSchema).max(10_000) })

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"))
const base64Of = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString("base64")

const converted = async (codec: PayloadCodec, way: "encode" | "decode", body: unknown) => {
  const parsed = bodySchema.safeParse(body)
  if (!parsed.success)
    throw new AdjutantError("invalid_argument", 'the body must be {"payloads": [{"metadata": {…}, "data": "…"}]}')
  const payloads = parsed.data.payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, bytesOf(value)])),
    data: bytesOf(data),
  }))
  try {
    const answers = await codec[way](payloads)
    return {
      payloads: answers.map(({ metadata, data }) => ({
        metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64Of(value)])),
        data: base64Of(data),
      })),
    }
  } catch (error) {
    throw new AdjutantError("invalid_argument", errorMessage(error))
  }
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest()

const allow = (request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void => {
  const { origin } = request.headers
  if (origin === undefined || !origins.includes(origin)) return
  reply.headers({
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization, content-type, x-namespace",
    "cross-origin-resource-policy": "cross-origin",
    vary: "origin",
  })
}

const shortestToken = 16

/** Returns a function that returns the present token. A value that is too short now does not replace the last one. */
const tokenOf = ({ codecTokenEnv = "" }: Encryption, env: HttpServerOptions["env"]): (() => string) => {
  const present = (): string => env[codecTokenEnv]?.trim() ?? ""
  let token = present()
  if (token.length < shortestToken)
    throw new AdjutantError(
      "invalid_config",
      `encryption.codecTokenEnv: set ${codecTokenEnv} to a token of ${shortestToken} characters or more`,
    )
  return () => {
    const value = present()
    if (value.length >= shortestToken) token = value
    return token
  }
}

/**
 * Adds the endpoint by which the Temporal UI and the `temporal` program decrypt payloads, for holders of its own token: as a bearer token, or in the path
 * where the UI can send none. Does nothing unless the configuration names the token.
 */
export const codecRoutes = async (
  app: FastifyInstance,
  { loaded }: HttpContext,
  { env, guard }: Pick<HttpServerOptions, "env"> & { readonly guard: SignatureGuard },
): Promise<void> => {
  const { encryption } = loaded.config
  if (encryption?.codecTokenEnv === undefined) return
  const codec = await codecOf(await readEncryptionKeys(loaded, { ...env }))
  if (codec === undefined) return
  const presentToken = tokenOf(encryption, env)
  const origins = encryption.uiOrigins.map((url) => new URL(url).origin)
  const config = { access: "signed", acceptsOrigins: origins } as const
  for (const way of ["encode", "decode"] as const)
    for (const url of [`/codec/${way}`, `/codec/:token/${way}`]) {
      app.post<{ Params: { token?: string } }>(url, { config, schema: { hide: true } }, async (request, reply) => {
        allow(request, reply, origins)
        const token = request.params.token ?? bearerToken(request) ?? ""
        if (timingSafeEqual(digestOf(token), digestOf(presentToken()))) return await converted(codec, way, request.body)
        guard.refused(request, reply)
        throw new AdjutantError("unauthorized", "send the token of the codec endpoint: authorization: Bearer <token>")
      })
      app.options(url, { config, schema: { hide: true } }, async (request, reply) => {
        allow(request, reply, origins)
        return reply.code(204).send()
      })
    }
}
