import type { FastifyRequest } from "fastify"
import { withTrace } from "../../domain/trace/trace-context.ts"
import type { RemoteActor } from "../../sessions/actor.ts"
import { workspacesOf } from "../../config/workspaces.ts"
import { authorityOfScopes } from "../../domain/caller/token-rights.ts"
import { localCaller } from "../access.ts"
import type { HttpContext } from "../http-options.ts"

const noScopes = new Set<never>()

/** Returns the actor of a request: the token's name for the audit, and what the token's scopes allow; of a command of this machine, its user. */
export const actorOf = (
  { caller, local, headers }: FastifyRequest,
  { loaded }: Pick<HttpContext, "loaded">,
): RemoteActor => ({
  ...(local?.actor ?? {
    by: caller?.name ?? "unknown",
    via: "http",
    ...(caller === null || caller === localCaller ? {} : { identity: { kind: "token" as const, id: caller.name } }),
    kind: caller === localCaller ? "person" : "program",
    authority: authorityOfScopes(caller?.scopes ?? noScopes, workspacesOf(loaded)),
  }),
  ...withTrace(headers["traceparent"]),
})
