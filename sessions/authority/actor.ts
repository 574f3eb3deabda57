import type { ActorKind } from "../../contracts/http/audit.ts"
import type { Identity } from "../../domain/people/person.ts"
import type { Authority } from "../../domain/caller/authority.ts"

/** Who acts: a name and an interface for the audit log (`cli`, `http`, `mcp`, `webhook:<name>`, `link`), and what the actor may ask for. */
export interface Actor {
  readonly by: string
  readonly via: string
  /** Whether a person, a program or a model acts; default: a program. */
  readonly kind?: ActorKind
  /** Absent: everything, as for the user of this process. */
  readonly authority?: Authority
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
export type RemoteActor = Required<Omit<Actor, "identity">> & Pick<Actor, "identity">
