export const tabs = ["transcript", "timeline", "agents", "changes"] as const
export type Tab = (typeof tabs)[number]

export type Route =
  | { readonly view: "home" }
  | { readonly view: "start" }
  | { readonly view: "profiles"; readonly name?: string }
  | { readonly view: "usage" }
  | { readonly view: "review"; readonly checkpoint?: string }
  | { readonly view: "session"; readonly id: string; readonly tab: Tab; readonly step?: number }

const isTab = (text: string | undefined): text is Tab => tabs.some((tab) => tab === text)

/** Reads a route from the fragment of the address. `#<id>` is the form that links had at first. */
export const parseRoute = (hash: string): Route => {
  const [, first, id, third, fourth] = /^#\/(\w+)(?:\/([\w-]+))?(?:\/(\w+))?(?:\/(\d+))?$/.exec(hash) ?? []
  if (first === "start") return { view: "start" }
  if (first === "usage") return { view: "usage" }
  if (first === "profiles") return { view: "profiles", ...(id === undefined ? {} : { name: id }) }
  if (first === "review") return { view: "review", ...(id === undefined ? {} : { checkpoint: id }) }
  if (first === "s" && id !== undefined) {
    if (third === "step" && fourth !== undefined)
      return { view: "session", id, tab: "transcript", step: Number(fourth) }
    return { view: "session", id, tab: isTab(third) ? third : "transcript" }
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
