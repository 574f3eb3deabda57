import type { ActorKind } from "../contracts/http/audit.ts"
import type { Identity } from "../domain/people/person.ts"
import type { Authority } from "../domain/caller/authority.ts"
import { withTrace } from "../domain/trace/trace-context.ts"

/** Who acts: a name and an interface for the audit log (`cli`, `http`, `mcp`, `webhook:<name>`, `link`), and what the actor may ask for. */
export interface Actor {
  readonly by: string
  readonly via: string
  /** Whether a person, a program or a model acts; default: a program. */
  readonly kind?: ActorKind
  /** Absent: everything, as for the user of this process. */
  readonly authority?: Authority
  /** The span of the caller's trace to which the request belongs, as W3C Trace Context has it. Of a request that starts a task, it is kept. */
  readonly traceparent?: string
  /** What proves who acts. Absent: nothing does, so that the actor is nobody in `people`. */
  readonly identity?: Identity
}

/** Returns what the audit log says about an actor. */
export const auditedActor = ({ by, via, kind = "program" }: Actor): Required<Pick<Actor, "by" | "via" | "kind">> => ({
  by,
  via,
  kind,
})

/** An actor other than the user of this process; the adapter determines the authority. */
export type RemoteActor = Required<Omit<Actor, "identity" | "traceparent">> & Pick<Actor, "identity" | "traceparent">

/** Returns what a new session keeps of the trace of its request. */
export const keptTrace = (actor: Actor | undefined): Pick<Actor, "traceparent"> => withTrace(actor?.traceparent)
