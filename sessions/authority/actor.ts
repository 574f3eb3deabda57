import type { Authority } from "../../domain/caller/authority.ts"

/** Who acts: for the audit a name and the way it came (`cli`, `http`, `mcp`, `webhook:<name>`, `link`), and what they may ask for. */
export interface Actor {
  readonly by: string
  readonly via: string
  /** Left out: everything, as for the person whose process this is. */
  readonly authority?: Authority
}

/** Somebody who is not the person whose process this is: an adapter says what they may ask for. */
export type RemoteActor = Required<Actor>
