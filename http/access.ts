import type { FastifyRequest } from "fastify"
import { builtInCallers } from "../domain/caller/caller-id.ts"
import type { Scope } from "../contracts/config/config-services.ts"
import { hasScope } from "../domain/caller/token-rights.ts"

/** Who may call a route: callers with the scope, everyone, or senders of a signature that the route checks itself. */
export type Access = Scope | "public" | "signed"

/** Who calls: the name of a token. */
export interface Caller {
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
}

export const everyScope: ReadonlySet<Scope> = new Set(["read", "run", "approve", "admin"])

/** The user of this machine: has the token of the data directory, or calls a server that requires none. */
export const localCaller: Caller = { name: builtInCallers.local, scopes: everyScope }

const longestPath = 256

/**
 * Returns by what requests are counted: the token, or the address of the user of this machine. Requests without a token are counted apart from both,
 * those to a link or a hook by their path, and those of other sites' pages apart from those of people and programs: none uses up the share of another.
 */
export const limitKeyOf = ({
  caller,
  ip,
  url,
  headers,
  routeOptions,
}: Pick<FastifyRequest, "caller" | "ip" | "url" | "headers" | "routeOptions">): string => {
  if (caller !== null) return caller === localCaller ? `local ${ip}` : `token ${caller.name}`
  if (routeOptions.config.access === "signed") return `signed ${ip} ${url.split("?")[0]?.slice(0, longestPath)}`
  return isFromOtherSite(headers) ? `other site ${ip}` : `open ${ip}`
}

/** Returns whether a browser says that a page of another site sent the request. */
export const isFromOtherSite = (headers: FastifyRequest["headers"]): boolean =>
  /^(cross|same)-site$/.test(String(headers["sec-fetch-site"]))

/** Checks whether a caller has a scope. `admin` includes all others. */
export const mayCall = ({ scopes }: Caller, scope: Scope): boolean => hasScope(scopes, scope)

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route that does not set this requires `admin`. */
    access?: Access
    /** Set on routes whose address is the authority: a page there that sends no referrer also sends no origin with its form. */
    acceptsOpaqueOrigin?: boolean
    /** Origins of other sites whose pages may call the route. */
    acceptsOrigins?: readonly string[]
    /** Set on routes that stream or have their own deduplication: `Idempotency-Key` has no effect there. */
    ignoresIdempotencyKey?: boolean
    /** The path of what the route creates, with fields of the answer in braces. */
    location?: string
  }
  interface FastifyRequest {
    caller: Caller | null
    /** Whether its token is still valid. What an open stream sends is for the holder of a valid token. */
    hasAccess: () => boolean
    /** Set if the request has an `Idempotency-Key`. Every attempt of the same request has the same value. */
    attempt: string | null
  }
}
