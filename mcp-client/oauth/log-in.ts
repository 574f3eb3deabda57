import { randomUUID } from "node:crypto"
import {
  auth,
  type AuthProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { McpHttpServer } from "../../contracts/config/config-services.ts"
import { mcpOauthSchema } from "../../contracts/config/mcp-oauth.ts"
import type { Environment } from "../../domain/environment.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { createServerConnection } from "../connection/server-connection.ts"
import { fetchOf } from "../transport/create-transport.ts"
import { awaitCallback } from "./await-callback.ts"
import { clientName } from "../connection/login-command.ts"
import type { Logins } from "./logins.ts"

export interface LoginRequest {
  readonly server: string
  readonly config: McpHttpServer
  readonly env: Environment
  readonly logins: Logins
  /** Scopes to request in addition to those that the server names and those of the last login. */
  readonly scope?: string | undefined
  /** Shows the person the address to open in a browser. */
  readonly show: (address: URL) => void | Promise<void>
  readonly signal: AbortSignal
}

interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined
  readonly scope?: string | undefined
}

/** Asks the server for its tools without a login, and returns with what it refuses. */
const challengeOf = async ({ server, config, env }: LoginRequest): Promise<Challenge> => {
  let challenge: Challenge = {}
  const authorization: AuthProvider = {
    token: async () => undefined,
    onUnauthorized: async ({ response }) => {
      challenge = extractWWWAuthenticateParams(response)
      throw new Error("a login is required")
    },
  }
  const connection = createServerConnection({ name: server, config, env, allowedEnv: {}, authorization })
  await connection.tools().catch(() => undefined)
  await connection.close()
  return challenge
}

/** A login in progress: what the SDK stores between its beginning and its end. */
const createProvider = ({ config, env, show }: LoginRequest, state: string, redirectUrl: string) => {
  const { clientId, clientSecretEnv, issuer, scope, clientMetadataUrl } = mcpOauthSchema.parse(config.oauth ?? {})
  const secret = clientSecretEnv === undefined ? undefined : env[clientSecretEnv]
  if (clientSecretEnv !== undefined && (secret === undefined || secret === ""))
    throw new AdjutantError(
      "key_missing",
      `the environment variable ${clientSecretEnv} is not set: set it for this command`,
    )
  let client: StoredOAuthClientInformation | undefined =
    clientId === undefined
      ? undefined
      : {
          client_id: clientId,
          ...(secret === undefined ? {} : { client_secret: secret }),
          ...(issuer === undefined ? {} : { issuer }),
        }
  let tokens: StoredOAuthTokens | undefined
  let verifier = ""
  let discovery: OAuthDiscoveryState | undefined
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
      ...(scope === undefined ? {} : { scope }),
    },
    state: () => state,
    clientInformation: () => client,
    ...(clientId === undefined ? { saveClientInformation: (registered) => void (client = registered) } : {}),
    tokens: () => undefined,
    saveTokens: (given) => void (tokens = given),
    redirectToAuthorization: show,
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => void (discovery = found),
    discoveryState: () => discovery,
  }
  return { provider, result: () => ({ client, tokens }) }
}

const refused = (server: string, why: string, cause?: unknown): AdjutantError =>
  new AdjutantError("login_failed", `the login at MCP server ${server} failed: ${why}`, { cause })

/** Returns the code with which the browser returned, and who issued it. */
const codeOf = (server: string, params: URLSearchParams) => {
  const code = params.get("code")
  if (code !== null) return { authorizationCode: code, iss: params.get("iss") ?? undefined }
  // Any page can send a browser here: of what it says, only a word of the protocol is shown.
  const error = params.get("error") ?? ""
  throw refused(server, /^[a-z_]{1,60}$/.test(error) ? error : "the browser returned without a code")
}

/** Lets a person log in at a server in a browser, and stores the tokens. Returns how many tools the server then lists. */
export const logIn = async (request: LoginRequest): Promise<number> => {
  const { server, config, logins, signal } = request
  const { callbackPort } = mcpOauthSchema.parse(config.oauth ?? {})
  const challenge = await challengeOf(request)
  const earlier = await logins.read(config.url)
  const state = randomUUID()
  const callback = await awaitCallback(callbackPort, state, signal)
  try {
    const { provider, result } = createProvider(request, state, callback.url)
    const scope =
      request.scope === undefined
        ? challenge.scope
        : computeScopeUnion(challenge.scope, earlier?.tokens.scope, request.scope)
    const settings = { name: server, config, env: request.env, allowedEnv: {} }
    const options = {
      serverUrl: config.url,
      fetchFn: fetchOf(settings),
      ...(challenge.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    }
    const fail = (error: unknown): never => {
      throw refused(server, errorMessage(error), error)
    }
    await auth(provider, options).catch(fail)
    const returned = codeOf(server, await callback.returned)
    await auth(provider, { ...options, ...returned }).catch(fail)
    const { client, tokens } = result()
    if (client === undefined || tokens === undefined) throw refused(server, "it gave no tokens")
    await logins.write({ url: config.url, client, tokens: { ...tokens, ...withScope(tokens, scope) } })
  } finally {
    callback.close()
  }
  return await countTools(request)
}

/** A server that grants what was requested need not say so. */
const withScope = (tokens: StoredOAuthTokens, requested: string | undefined) =>
  tokens.scope === undefined && requested !== undefined ? { scope: requested } : {}

const countTools = async ({ server, config, env, logins }: LoginRequest): Promise<number> => {
  const login = await logins.read(config.url)
  const authorization: AuthProvider = { token: async () => login?.tokens.access_token }
  const connection = createServerConnection({ name: server, config, env, allowedEnv: {}, authorization })
  try {
    return (await connection.tools()).length
  } catch (error) {
    throw refused(
      server,
      `the tokens are stored, but the server does not list its tools: ${errorMessage(error)}`,
      error,
    )
  } finally {
    await connection.close()
  }
}
