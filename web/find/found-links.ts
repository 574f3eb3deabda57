import type { SearchHit } from "../../contracts/http/sessions.ts"
import type { Session } from "../../contracts/session/session.ts"
import { statusWords } from "../../domain/operator/status-words.ts"
import { prose } from "../shown/prose.ts"
import { homeLink, profilesLink, reviewLink, rowLink, sessionLink, startLink, usageLink } from "../state/address.ts"

/** A place to which the page can lead. */
export interface FoundPlace {
  readonly link: string
  readonly title: string
  /** What distinguishes it from others with its title. */
  readonly note: string
}

const views: readonly FoundPlace[] = [
  { link: reviewLink(), title: "Review", note: "what waits for a decision" },
  { link: startLink, title: "New run", note: "" },
  { link: homeLink, title: "Sessions", note: "what needs you, what failed, what runs" },
  { link: profilesLink, title: "Profiles", note: "" },
  { link: usageLink, title: "Usage", note: "tokens and cost" },
]

const has = (sought: string, ...texts: readonly (string | null)[]): boolean =>
  texts.some((text) => text?.toLowerCase().includes(sought.toLowerCase()) === true)

type Named = Pick<Session, "title" | "label" | "agent">
const foundName = ({ label, title, agent }: Named): string => prose(label ?? title ?? agent)

const mostSessions = 8

/** Returns the views and the listed sessions whose names contain a text; without a text, the views and the newest sessions. */
export const namedPlaces = (sought: string, sessions: readonly Session[]): readonly FoundPlace[] => [
  ...views.filter(({ title }) => has(sought, title)),
  ...sessions
    .filter(({ id, title, label }) => has(sought, id, title, label))
    .slice(0, mostSessions)
    .map((session) => ({
      link: sessionLink(session.id),
      title: foundName(session),
      note: `${session.id} · ${statusWords(session)}`,
    })),
]

const linkOf = ({ session_id: id, kind, seq, call_id: callId }: SearchHit): string => {
  if (kind === "file") return sessionLink(id, "changes")
  return seq === null ? sessionLink(id) : rowLink(id, seq, callId ?? undefined)
}

const kinds: Readonly<Record<SearchHit["kind"], string>> = {
  name: "session",
  file: "changed file",
  text: "message",
  call: "call",
  result: "result",
}

/** Returns the places of what the server found: changed files before texts, in which they are named again and again. */
export const foundPlaces = (hits: readonly SearchHit[]): readonly FoundPlace[] =>
  [...hits.filter(({ kind }) => kind === "file"), ...hits.filter(({ kind }) => kind !== "file")].map((hit) => ({
    link: linkOf(hit),
    title: prose(hit.excerpt),
    note: [hit.tool ?? "", kinds[hit.kind], "in", foundName(hit), `(${hit.session_id})`]
      .filter((word) => word !== "")
      .join(" "),
  }))

/** Returns places without those to which another one leads already. */
export const withoutRepeated = (places: readonly FoundPlace[]): readonly FoundPlace[] =>
  places.filter(({ link }, index) => places.findIndex((other) => other.link === link) === index)
