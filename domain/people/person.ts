import type { PersonConfig } from "../../contracts/config/people.ts"

export type People = Readonly<Record<string, PersonConfig>>

/**
 * What proves who a person is, as the way says on which a decision came: a signed comment of GitHub, a signed button of Slack or Telegram, a token of the
 * HTTP API, the user who runs a command on this machine, or something that was made for one person, such as a link.
 */
export interface Identity {
  readonly kind: "github" | "slack" | "telegram" | "token" | "local" | "person"
  readonly id: string
}

const isProvedBy = (person: PersonConfig, { kind, id }: Exclude<Identity, { kind: "person" }>): boolean => {
  switch (kind) {
    case "github":
      return person.github?.toLowerCase() === id.toLowerCase()
    case "telegram":
      return person.telegram !== undefined && String(person.telegram) === id
    case "slack":
    case "token":
    case "local":
      return person[kind] === id
    default:
      return false
  }
}

/** Returns the name of the person whom an identity proves; undefined if it proves nobody in `people`. */
export const personOf = (people: People, identity: Identity | undefined): string | undefined => {
  if (identity === undefined) return undefined
  if (identity.kind === "person") return Object.hasOwn(people, identity.id) ? identity.id : undefined
  return Object.entries(people).find(([, person]) => isProvedBy(person, identity))?.[0]
}
