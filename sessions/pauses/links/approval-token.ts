import { createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"

/** The content of a link, protected by its signature. */
export interface ApprovalClaim {
  /** Unguessable; a link can be used once. */
  readonly id: string
  readonly sessionId: string
  readonly checkpointId: string
  readonly expiresAtMs: number
  /** The holder of the link. */
  readonly to: string | null
  /** The one person for whom it was made, and who alone got it. */
  readonly person?: string
}

const claimSchema = z
  .tuple([z.literal(1), z.string(), z.string(), z.string(), z.number(), z.string().nullable()])
  .rest(z.string())

const signatureOf = (secret: string, payload: string): Buffer =>
  createHmac("sha256", Buffer.from(secret, "hex")).update(`adjutant approval link ${payload}`).digest()

export const signApprovalToken = (secret: string, claim: ApprovalClaim): string => {
  const { id, sessionId, checkpointId, expiresAtMs, to, person } = claim
  const fields = [1, id, sessionId, checkpointId, expiresAtMs, to, ...(person === undefined ? [] : [person])]
  const payload = Buffer.from(JSON.stringify(fields)).toString("base64url")
  return `${payload}.${signatureOf(secret, payload).toString("base64url")}`
}

const invalid = (): AdjutantError =>
  new AdjutantError("link_invalid", "this link is not valid on this server: ask for a new one")

/** Verifies a token and returns its content. @throws AdjutantError `link_invalid`, `link_expired` */
export const readApprovalToken = (secret: string, token: string, nowMs: number): ApprovalClaim => {
  const [payload = "", signature = "", ...rest] = token.split(".")
  const given = Buffer.from(signature, "base64url")
  const expected = signatureOf(secret, payload)
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalid()
  const parsed = claimSchema.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")))
  if (!parsed.success) throw invalid()
  const [, id, sessionId, checkpointId, expiresAtMs, to, person] = parsed.data
  if (expiresAtMs <= nowMs) throw new AdjutantError("link_expired", "this link has expired: ask for a new one")
  return { id, sessionId, checkpointId, expiresAtMs, to, ...(person === undefined ? {} : { person }) }
}
