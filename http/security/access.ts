import type { Scope } from "../../contracts/config/config-services.ts"

/** Who may call a route: whoever has the scope; everybody; or whoever sends a signature that the route checks itself. */
export type Access = Scope | "public" | "signed"

/** Who calls: the name of a token, or `local` where none is needed. */
export interface Caller {
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
}

export const everyScope: ReadonlySet<Scope> = new Set(["read", "run", "approve", "admin"])

/** `admin` includes the others. */
export const mayCall = (caller: Caller, scope: Scope): boolean => caller.scopes.has(scope) || caller.scopes.has("admin")

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route that does not say it is for `admin` only. */
    access?: Access
    /** Answers are streams, or repeated by other means: an `Idempotency-Key` changes nothing. */
    ignoresIdempotencyKey?: boolean
  }
  interface FastifyRequest {
    caller: Caller | null
    /** Set where the request carries an `Idempotency-Key`: the same for every try of it. */
    attempt: string | null
  }
}
