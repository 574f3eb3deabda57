import { parseJson } from "../../domain/text/json/parse-json.ts"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { z } from "zod"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { plainMessage } from "../../contracts/argument-problem.ts"
import type { ZodApp } from "../openapi.ts"
import type { SignatureGuard } from "../security/guard-requests.ts"

/** A webhook as it arrived. The signature covers the raw bytes. */
export interface InboundRequest {
  readonly body: Buffer
  header(name: string): string | undefined
}

export const forged = (): AdjutantError =>
  new AdjutantError(
    "unauthorized",
    "the signature is missing, wrong or too old; check the webhook's secret and the sender's clock",
  )

/** Parses the body as JSON. @throws AdjutantError `invalid_json` */
export const parseWebhook = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    throw new AdjutantError("invalid_json", "the webhook's body is not valid JSON")
  }
}

/** Returns the body, parsed by its schema. @throws AdjutantError `invalid_json`, `invalid_argument` */
export const parseBody = <T extends z.ZodType>(schema: T, { body }: InboundRequest): z.infer<T> => {
  const parsed = schema.safeParse(parseWebhook(body.toString("utf8")))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AdjutantError(
    "invalid_argument",
    `${["body", ...(issue?.path ?? [])].join(".")}: ${plainMessage(issue?.message ?? "invalid")}`,
  )
}

/**
 * Returns a function that returns the secret in the environment variable: one that is read from a file can change. A value that is empty now does not
 * replace the last one.
 * @throws AdjutantError `invalid_config` if it is not set
 */
export const requireSecret = (
  env: Readonly<Record<string, string | undefined>>,
  { secretEnv, setting, kind }: { readonly secretEnv: string; readonly setting: string; readonly kind: string },
): (() => string) => {
  const present = (): string => env[secretEnv]?.trim() ?? ""
  let secret = present()
  if (secret === "")
    throw new AdjutantError("invalid_config", `${setting} needs ${secretEnv}: set it, or remove the ${kind}`)
  return () => (secret = present() || secret)
}

/** Adds routes that receive their bodies as bytes, whatever the content type. */
export const addSignedRoutes = async (parent: ZodApp, add: (app: ZodApp) => void): Promise<void> => {
  await parent.register(async (app: ZodApp) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
    add(app)
  })
}

const inboundRequestOf = ({ headers, body }: FastifyRequest): InboundRequest => ({
  body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  header: (name) => {
    const value = headers[name]
    return typeof value === "string" ? value : undefined
  },
})

/** Verifies and parses a request with `read`. A wrong signature counts against the limit of the sender's address. */
export const readSigned = <T>(
  guard: SignatureGuard,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  read: (request: InboundRequest) => T,
): T => {
  try {
    return read(inboundRequestOf(request))
  } catch (error) {
    if (isAdjutantError(error) && error.code === forged().code) guard.refused(request, reply)
    throw error
  }
}
