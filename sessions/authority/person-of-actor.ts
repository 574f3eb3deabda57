import type { LoadedConfig } from "../../config/loaded-config.ts"
import { personOf } from "../../domain/people/person.ts"
import type { Actor } from "../actor.ts"

type Configured = Pick<LoadedConfig, "config">

/** Returns the person who acts, by what their way proves; undefined if it proves nobody in `people`. */
export const personOfActor = ({ config }: Configured, actor: Pick<Actor, "identity"> | undefined): string | undefined =>
  personOf(config.people, actor?.identity)

/** Returns what the audit log says about the person who acts, besides the actor. */
export const auditedPerson = (
  loaded: Configured,
  actor: Pick<Actor, "identity"> | undefined,
): { readonly person?: string } => {
  const person = personOfActor(loaded, actor)
  return person === undefined ? {} : { person }
}
