import type { IncomingMessage } from "node:http"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isOwnOrigin, bareHost, hostNameOf, isLoopback } from "../../domain/web/loopback-host.ts"
import { type Caller, isFromOtherSite, limitKeyOf, localCaller, mayCall } from "../access.ts"
import type { AccessTokens } from "./access-tokens.ts"
import { tooManyRequests } from "../answers/http-failure.ts"
import type { HttpContext } from "../http-options.ts"
import type { LocalCall } from "../local-call.ts"
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts"
import { securityHeaders } from "./security-headers.ts"
import { isIP } from "node:net"
import type { Config } from "../../contracts/config/config.ts"

/**
 * Creates a check of the `Host` header. It rejects requests of pages whose name was rebound to this server (DNS rebinding). An IP address cannot be
 * rebound; it is allowed if the server listens beyond loopback, where a token is required.
 */
const createHostCheck = (http: Pick<Config["http"], "publicUrl" | "allowedHosts">, listenHost: string) => {
  const names = new Set([
    bareHost(listenHost),
    ...http.allowedHosts.map(bareHost),
    ...(http.publicUrl === undefined ? [] : [bareHost(new URL(http.publicUrl).hostname)]),
  ])
  return (hostHeader: string | undefined): boolean => {
    const name = hostHeader === undefined ? undefined : hostNameOf(hostHeader)
    if (name === undefined) return false
    return isLoopback(name) || names.has(name) || (!isLoopback(listenHost) && isIP(name) !== 0)
  }
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD"

export const bearerToken = (request: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1]

/** Counts a wrong signature. Answers 429 if an address sends too many. */
export interface SignatureGuard {
  refused(request: FastifyRequest, reply: FastifyReply): void
}

/** Counts requests that a single one brings with it, such as the messages of a batch. Answers 429 if they exceed the share of its caller. */
export interface RequestGuard extends SignatureGuard {
  brings(request: FastifyRequest, reply: FastifyReply, further: number): void
}

/** Counts requests for `key`. @throws AdjutantError `rate_limited`, with `retry-after` on the reply */
const takeShare = (
  reply: FastifyReply,
  limiter: RateLimiter,
  share: { readonly key: string; readonly most: number; readonly requests?: number },
) => {
  const waitSeconds = limiter.take(share.key, share.most, share.requests)
  if (waitSeconds === undefined) return
  reply.header("retry-after", waitSeconds)
  throw tooManyRequests()
}

/** Who may call, and what checks that. */
export interface Gatekeeping {
  readonly tokens: AccessTokens
  /** Whether the connection proves that the user of this process sent a request. */
  readonly localCall: (request: IncomingMessage) => LocalCall | undefined
}

/** Requires a valid token, or a connection that proves who calls. @throws AdjutantError `unauthorized`, or `rate_limited` after too many wrong tokens */
const requireCaller = (
  request: FastifyRequest,
  reply: FastifyReply,
  { tokens, guard }: Pick<Gatekeeping, "tokens"> & { readonly guard: SignatureGuard },
): Caller => {
  if (!tokens.isRequired || request.local !== null) return localCaller
  const token = bearerToken(request)
  const caller = token === undefined ? undefined : tokens.callerOf(token)
  if (token !== undefined && caller !== undefined) {
    request.hasAccess = () => tokens.callerOf(token) === caller
    return caller
  }
  guard.refused(request, reply)
  reply.header("www-authenticate", "Bearer")
  throw new AdjutantError("unauthorized", "send a valid token: authorization: Bearer <token>")
}

/** Checks host, origin, size, token, scope and rate of every request, in this order, before its route runs. */
export const guardRequests = (
  app: FastifyInstance,
  context: HttpContext,
  { tokens, localCall, listenHost }: Gatekeeping & { readonly listenHost: string },
): RequestGuard => {
  const { limits, loaded, now } = context
  const { publicUrl } = loaded.config.http
  const limiter = createRateLimiter(now)
  const isAllowedHost = createHostCheck(loaded.config.http, listenHost)
  const guard: RequestGuard = {
    refused: (request, reply) =>
      takeShare(reply, limiter, { key: `refused ${request.ip}`, most: limits.refusalsPerMinute }),
    brings: (request, reply, further) =>
      takeShare(reply, limiter, { key: limitKeyOf(request), most: limits.requestsPerMinute, requests: further }),
  }
  app.decorateRequest("caller", null)
  app.decorateRequest("hasAccess", () => true)
  app.decorateRequest("attempt", null)
  app.decorateRequest("local", null)

  const checkSource = ({ headers, method, url, routeOptions }: FastifyRequest): void => {
    if (url.length > limits.urlBytes)
      throw new AdjutantError("payload_too_large", `the URL is longer than ${limits.urlBytes} characters`)
    if (!isAllowedHost(headers.host))
      throw new AdjutantError("forbidden", "this host name is not allowed; see http.allowedHosts")
    const { origin } = headers
    const isOpaque = origin === "null" && routeOptions.config.acceptsOpaqueOrigin === true
    const isAccepted =
      isOpaque || (origin !== undefined && routeOptions.config.acceptsOrigins?.includes(origin) === true)
    if (origin !== undefined && !isAccepted && !isOwnOrigin(origin, headers.host, publicUrl))
      throw new AdjutantError("forbidden", "requests from pages of another origin are not allowed")
    if (!isSafe(method) && origin === undefined && isFromOtherSite(headers))
      throw new AdjutantError("forbidden", "requests from pages of another site are not allowed")
  }

  app.addHook("onRequest", async (request, reply) => {
    request.local = localCall(request.raw) ?? null
    reply.headers({ ...securityHeaders, "x-request-id": request.id })
    checkSource(request)
    if (request.is404) return
    const { access = "admin" } = request.routeOptions.config
    const isOpen = access === "public" || access === "signed"
    if (!isOpen) request.caller = requireCaller(request, reply, { tokens, guard })
    takeShare(reply, limiter, { key: limitKeyOf(request), most: limits.requestsPerMinute })
    if (!isOpen && request.caller !== null && !mayCall(request.caller, access))
      throw new AdjutantError("forbidden", `this token does not have the scope ${access}`)
  })

  return guard
}
