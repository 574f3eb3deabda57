import type { FastifyRequest } from "fastify"
import { builtInCallers } from "../../domain/caller/caller-id.ts"
import type { Scope } from "../../contracts/config/config-services.ts"

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

/** Returns by what a caller's limits are counted: the token or, for the user of this machine and for everyone without a token, the address. */
export const limitKeyOf = ({ caller, ip }: Pick<FastifyRequest, "caller" | "ip">): string =>
  caller === null || caller === localCaller ? ip : `token ${caller.name}`

/** Checks whether a caller has a scope. `admin` includes all others. */
export const mayCall = (caller: Caller, scope: Scope): boolean => caller.scopes.has(scope) || caller.scopes.has("admin")

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route that does not set this requires `admin`. */
    access?: Access
    /** Set on routes whose address is the authority: a page there that sends no referrer also sends no origin with its form. */
    acceptsOpaqueOrigin?: boolean
    /** Set on routes that stream or have their own deduplication: `Idempotency-Key` has no effect there. */
    ignoresIdempotencyKey?: boolean
  }
  interface FastifyRequest {
    caller: Caller | null
    /** Set if the request has an `Idempotency-Key`. Every attempt of the same request has the same value. */
    attempt: string | null
  }
}
