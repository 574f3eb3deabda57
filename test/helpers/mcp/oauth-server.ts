import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { createTestServer } from "./test-server.ts"

export interface OauthServer {
  /** The address of the MCP server, which requires a token. */
  readonly url: string
  /** The address of the authorization server. */
  readonly issuer: string
  /** What the authorization server was sent: path, headers and form. */
  readonly asked: readonly {
    readonly path: string
    readonly headers: IncomingMessage["headers"]
    readonly form: string
  }[]
  /** Lets every access token expire. */
  expire(): void
  /** Makes the MCP server require this scope of each token. */
  requireScope(scope: string): void
  close(): Promise<void>
}

const listen = async (server: ReturnType<typeof createServer>): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return `http://127.0.0.1:${address.port}`
}

const stop = (server: ReturnType<typeof createServer>) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Starts an MCP server that requires a token, and the authorization server that gives it. */
export const startOauthServer = async (): Promise<OauthServer> => {
  const asked: { path: string; headers: IncomingMessage["headers"]; form: string }[] = []
  const granted = new Map<string, string>()
  let scopes = new Map<string, string>()
  let required: string | undefined
  let issuer = ""
  let origin = ""

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "private_key_jwt"],
  })

  const tokensFor = (form: URLSearchParams) => {
    const scope = form.get("scope") ?? granted.get(form.get("code") ?? form.get("refresh_token") ?? "")
    if (scope === undefined && form.get("grant_type") !== "client_credentials") return undefined
    const access = `access-${randomUUID()}`
    const refresh = `refresh-${randomUUID()}`
    scopes.set(access, scope ?? "")
    granted.set(refresh, scope ?? "")
    // A refresh token counts once.
    granted.delete(form.get("refresh_token") ?? "")
    const withRefresh = form.get("grant_type") === "client_credentials" ? {} : { refresh_token: refresh }
    return { access_token: access, token_type: "Bearer", ...withRefresh }
  }

  const authorization = createServer((request, response) => {
    void text(request).then((form) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", issuer)
      asked.push({ path: pathname, headers: request.headers, form })
      const answer = (status: number, body: unknown) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      if (pathname.startsWith("/.well-known/")) return answer(200, metadata())
      if (pathname === "/register") return answer(201, { ...Object(JSON.parse(form)), client_id: "registered" })
      if (pathname === "/token") {
        const tokens = tokensFor(new URLSearchParams(form))
        return tokens === undefined ? answer(400, { error: "invalid_grant" }) : answer(200, tokens)
      }
      const code = randomUUID()
      granted.set(code, searchParams.get("scope") ?? "")
      const back = new URL(searchParams.get("redirect_uri") ?? "")
      back.searchParams.set("code", code)
      back.searchParams.set("state", searchParams.get("state") ?? "")
      return response.writeHead(302, { location: back.href }).end()
    })
  })
  const handle = toNodeHandler(createMcpHandler(() => createTestServer()))
  const resource = createServer((request, response) => {
    const metadataPath = "/.well-known/oauth-protected-resource"
    if (request.url?.startsWith(metadataPath) === true) {
      const body = { resource: `${origin}/mcp`, authorization_servers: [issuer] }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
      return
    }
    const scope = scopes.get(request.headers.authorization?.replace("Bearer ", "") ?? "")
    const challenge = `Bearer resource_metadata="${origin}${metadataPath}"`
    if (scope === undefined) response.writeHead(401, { "www-authenticate": challenge }).end()
    else if (required !== undefined && !scope.split(" ").includes(required))
      response
        .writeHead(403, { "www-authenticate": `${challenge}, error="insufficient_scope", scope="${required}"` })
        .end()
    else void handle(request, response)
  })
  issuer = await listen(authorization)
  origin = await listen(resource)
  return {
    url: `${origin}/mcp`,
    issuer,
    asked,
    expire: () => void (scopes = new Map()),
    requireScope: (scope) => void (required = scope),
    close: async () => void (await Promise.all([stop(authorization), stop(resource)])),
  }
}
