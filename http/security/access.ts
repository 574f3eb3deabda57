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
export const localCaller: Caller = { name: "local", scopes: everyScope }

/** Checks whether a caller has a scope. `admin` includes all others. */
export const mayCall = (caller: Caller, scope: Scope): boolean => caller.scopes.has(scope) || caller.scopes.has("admin")

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route that does not set this requires `admin`. */
    access?: Access
    /** Set on routes that stream or have their own deduplication: `Idempotency-Key` has no effect there. */
    ignoresIdempotencyKey?: boolean
  }
  interface FastifyRequest {
    caller: Caller | null
    /** Set if the request has an `Idempotency-Key`. Every attempt of the same request has the same value. */
    attempt: string | null
  }
}
