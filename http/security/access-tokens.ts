import { builtInCallers } from "../../domain/caller/caller-id.ts"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { Config } from "../../contracts/config/config.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { type Caller, everyScope, localCaller } from "../access.ts"

export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

export interface AccessTokens {
  /** False if there is no token at all. Then every request is allowed. */
  readonly isRequired: boolean
  /** The names of the callers that have a token. */
  readonly names: ReadonlySet<string>
  /** Returns the caller that a token belongs to. Takes the same time for every wrong token. */
  callerOf(token: string): Caller | undefined
}

interface KnownToken {
  readonly digest: () => Buffer
  readonly caller: Caller
}

const tokensOf = (known: readonly KnownToken[]): AccessTokens => ({
  isRequired: known.length > 0,
  names: new Set(known.map(({ caller }) => caller.name)),
  callerOf: (token) => {
    const digest = digestOf(token)
    return known.filter((each) => timingSafeEqual(each.digest(), digest))[0]?.caller
  },
})

const shortestToken = 8

const valueOf = (env: Readonly<Record<string, string | undefined>>, name: string): string | undefined => {
  const value = env[name]?.trim()
  if (value === undefined || value === "") return undefined
  if (value.length < shortestToken)
    throw new AdjutantError("invalid_config", `${name} is too short: a token has at least ${shortestToken} characters`)
  return value
}

/** Returns the digest of the present value: one that is read from a file can change. A value that is too short or empty now does not replace the last one. */
const presentDigest = (env: Readonly<Record<string, string | undefined>>, name: string, first: string) => {
  let value = first
  let digest = digestOf(first)
  return (): Buffer => {
    const present = env[name]?.trim() ?? ""
    if (present !== value && present.length >= shortestToken) {
      value = present
      digest = digestOf(present)
    }
    return digest
  }
}

/** Reads the configured tokens and `ADJUTANT_API_TOKEN` from the environment. @throws AdjutantError `invalid_config` if one is not set */
export const createAccessTokens = (
  tokens: Config["http"]["tokens"],
  env: Readonly<Record<string, string | undefined>>,
): AccessTokens => {
  const main = valueOf(env, "ADJUTANT_API_TOKEN")
  const named = tokens.map(({ name, tokenEnv, scopes }) => {
    const value = valueOf(env, tokenEnv)
    if (value === undefined)
      throw new AdjutantError("invalid_config", `http.tokens: ${name} needs ${tokenEnv}: set it, or remove the token`)
    const caller: Caller = { name, scopes: new Set(scopes) }
    return { digest: presentDigest(env, tokenEnv, value), caller }
  })
  return tokensOf([
    ...named,
    ...(main === undefined
      ? []
      : [
          {
            digest: presentDigest(env, "ADJUTANT_API_TOKEN", main),
            caller: { name: builtInCallers.apiToken, scopes: everyScope },
          },
        ]),
  ])
}

/** The tokens of a server that accepts none. */
export const noAccessTokens: AccessTokens = { isRequired: true, names: new Set(), callerOf: () => undefined }

/** Returns the tokens of a server that accepts only the token of its data directory, and the one that its page gets instead: both have every scope. */
export const localAccessTokens = (token: string, pageToken: string): AccessTokens =>
  tokensOf(
    [token, pageToken].map((each) => {
      const digest = digestOf(each)
      return { digest: () => digest, caller: localCaller }
    }),
  )

/** Returns a token for the web page, which ends with this process. */
export const newPageToken = (): string => randomBytes(32).toString("base64url")
