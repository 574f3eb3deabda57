import type { Authority } from "../../domain/caller/authority.ts"

/** Who acts: a name and an interface for the audit log (`cli`, `http`, `mcp`, `webhook:<name>`, `link`), and what the actor may ask for. */
export interface Actor {
  readonly by: string
  readonly via: string
  /** Absent: everything, as for the user of this process. */
  readonly authority?: Authority
}

/** An actor other than the user of this process; the adapter determines the authority. */
export type RemoteActor = Required<Actor>
