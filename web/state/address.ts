export const tabs = ["transcript", "timeline", "agents", "changes"] as const
export type Tab = (typeof tabs)[number]

/** A place within a transcript: a step, or a row of it and the call there. */
export interface PlaceInTranscript {
  readonly step: number
  readonly row: number
  readonly call: string
}

export type Route =
  | { readonly view: "home" }
  | { readonly view: "start" }
  | { readonly view: "profiles"; readonly name?: string }
  | { readonly view: "usage" }
  | { readonly view: "review"; readonly checkpoint?: string }
  | ({ readonly view: "session"; readonly id: string; readonly tab: Tab } & Partial<PlaceInTranscript>)

const isTab = (text: string | undefined): text is Tab => tabs.some((tab) => tab === text)

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads a route from the fragment of the address. `#<id>` is the form that links had at first. */
export const parseRoute = (hash: string): Route => {
  const [first, id, third, fourth, fifth] = /^#\/(.*)$/.exec(hash)?.[1]?.split("/") ?? []
  const isNamed = id !== undefined && /^[\w-]+$/.test(id)
  if (first === "start") return { view: "start" }
  if (first === "usage") return { view: "usage" }
  if (first === "profiles") return { view: "profiles", ...(isNamed ? { name: id } : {}) }
  if (first === "review") return { view: "review", ...(isNamed ? { checkpoint: id } : {}) }
  if (first === "s" && isNamed) {
    const session = { view: "session", id, tab: "transcript" } as const
    const place = fourth !== undefined && /^\d+$/.test(fourth) ? Number(fourth) : undefined
    if (place === undefined) return isTab(third) ? { ...session, tab: third } : session
    if (third === "step") return { ...session, step: place }
    if (third !== "row") return session
    return { ...session, row: place, ...(fifth === undefined ? {} : { call: decoded(fifth) }) }
  }
  const short = /^#([a-z0-9]+)$/.exec(hash)?.[1]
  return short === undefined ? { view: "home" } : { view: "session", id: short, tab: "transcript" }
}

export const homeLink = "#/"
export const startLink = "#/start"
export const profilesLink = "#/profiles"
export const usageLink = "#/usage"
export const profileLink = (name: string): string => `${profilesLink}/${name}`
export const reviewLink = (checkpoint?: string): string => `#/review${checkpoint === undefined ? "" : `/${checkpoint}`}`
export const sessionLink = (id: string, tab: Tab = "transcript"): string =>
  `#/s/${id}${tab === "transcript" ? "" : `/${tab}`}`
export const stepLink = (id: string, step: number): string => `#/s/${id}/step/${step}`
/** A row of a transcript, and the call in it. */
export const rowLink = (id: string, row: number, call?: string): string =>
  `#/s/${id}/row/${row}${call === undefined ? "" : `/${encodeURIComponent(call)}`}`
