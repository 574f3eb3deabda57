import {
  auth,
  type AuthProvider,
  ClientCredentialsProvider,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from "@modelcontextprotocol/client"
import type { McpHttpServer } from "../../contracts/config/config-services.ts"
import type { McpOauth } from "../../contracts/config/mcp-oauth.ts"
import type { Environment } from "../../domain/environment.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { McpUnavailable } from "../transport/mcp-unavailable.ts"
import { clientName, loginCommand } from "../connection/login-command.ts"
import type { Logins } from "./logins.ts"

/** A request that was refused, because it is not authorized. */
type UnauthorizedContext = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0]

/** What the requests to one server are authorized with. */
export interface AuthorizationSource {
  readonly server: string
  readonly config: McpHttpServer
  readonly env: Environment
  readonly logins: Logins | undefined
}

/** Renews access once for all requests that were refused at the same time: a refresh token can often be used only once. */
const renewingOnce = (
  token: AuthProvider["token"],
  renew: (refused: UnauthorizedContext) => Promise<void>,
): AuthProvider => {
  let renewal: Promise<void> | undefined
  return {
    token,
    onUnauthorized: (refused) => {
      renewal ??= renew(refused).finally(() => {
        renewal = undefined
      })
      return renewal
    },
  }
}

const authorize = async (provider: OAuthClientProvider, { response, serverUrl, fetchFn }: UnauthorizedContext) => {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  return await auth(provider, { serverUrl, resourceMetadataUrl, scope, fetchFn })
}

/** Renews the tokens of a login: it never begins another login, which needs a person. */
const renewer = (url: string, logins: Logins): OAuthClientProvider => {
  let refused: string | undefined
  const tokens = async () => {
    const found = (await logins.read(url))?.tokens
    // Another process of this user may have renewed them in the meantime.
    return found?.refresh_token === refused ? undefined : found
  }
  return {
    // The SDK takes a client without an address to return to for one that needs no person.
    redirectUrl: "http://127.0.0.1/",
    clientMetadata: { client_name: clientName, redirect_uris: ["http://127.0.0.1/"] },
    clientInformation: async () => (await logins.read(url))?.client,
    tokens,
    async saveTokens(renewed) {
      const login = await logins.read(url)
      if (login !== undefined) await logins.write({ ...login, tokens: { scope: login.tokens.scope, ...renewed } })
    },
    async invalidateCredentials() {
      refused = (await tokens())?.refresh_token
    },
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => "",
  }
}

/** Authorizes requests with the tokens of a person's login, and renews them as long as the server allows it. */
const byLogin = ({ server, config: { url } }: AuthorizationSource, logins: Logins): AuthProvider =>
  renewingOnce(
    async () => (await logins.read(url))?.tokens.access_token,
    async (refused) => {
      const { scope } = extractWWWAuthenticateParams(refused.response)
      const unavailable = (what: string) =>
        new McpUnavailable(`MCP server ${server} requires ${what}: ${loginCommand(server, scope)}`)
      const login = await logins.read(url)
      if (login === undefined) throw unavailable("a login")
      if (login.tokens.refresh_token === undefined) throw unavailable("another login, since the last one expired")
      const renewed = await authorize(renewer(url, logins), refused).catch((error: unknown) => {
        throw unavailable(`another login, since the last one could not be renewed (${errorMessage(error)})`)
      })
      if (renewed !== "AUTHORIZED") throw unavailable("another login, since the last one cannot be renewed any more")
    },
  )

const secretOf = ({ server, env }: AuthorizationSource, variable: string): string => {
  const value = env[variable]
  if (value === undefined || value === "")
    throw new McpUnavailable(`MCP server ${server} needs the environment variable ${variable}: set it for the worker`)
  return value
}

const clientProvider = (source: AuthorizationSource, oauth: McpOauth): OAuthClientProvider => {
  const { clientId = "", issuer: expectedIssuer = "", scope, clientSecretEnv, privateKeyEnv, algorithm } = oauth
  const common = { clientId, clientName, expectedIssuer, ...(scope === undefined ? {} : { scope }) }
  return privateKeyEnv === undefined
    ? new ClientCredentialsProvider({ ...common, clientSecret: secretOf(source, clientSecretEnv ?? "") })
    : new PrivateKeyJwtProvider({ ...common, privateKey: secretOf(source, privateKeyEnv), algorithm })
}

/** Authorizes requests with the client's own credentials. They are read for each token, since they can change. */
const byClient = (source: AuthorizationSource, oauth: McpOauth): AuthProvider => {
  let token: string | undefined
  return renewingOnce(
    async () => token,
    async (refused) => {
      const provider = clientProvider(source, oauth)
      await authorize(provider, refused).catch((error: unknown) => {
        throw new McpUnavailable(
          `MCP server ${source.server} gives no access to this client (mcpServers.${source.server}.oauth): ${errorMessage(error)}`,
        )
      })
      token = (await provider.tokens())?.access_token
    },
  )
}

/** Returns what authorizes the requests to a server: the credentials of the client, or else the login of a person, if there is one. */
export const createAuthorization = (source: AuthorizationSource): AuthProvider | undefined => {
  const { oauth, headers, headersEnv } = source.config
  if (oauth?.grant === "client_credentials") return byClient(source, oauth)
  // A header of the configuration takes precedence: a login would change nothing.
  const hasOwnHeader = Object.keys({ ...headers, ...headersEnv }).some((name) => name.toLowerCase() === "authorization")
  return source.logins === undefined || hasOwnHeader ? undefined : byLogin(source, source.logins)
}
