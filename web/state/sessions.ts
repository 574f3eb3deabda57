import { computed, signal } from "@preact/signals"
import type { Session } from "../../contracts/session.ts"
import { server } from "../api/server.ts"
import type { SessionList } from "../api/shapes.ts"
import { refresher } from "./refresher.ts"

export const search = signal("")
/** A status, `archived`, or nothing for all that lists show. */
export const shown = signal("")
/** The sessions of the list: the newest, and all that run or wait, however old they are. Undefined before the first answer. */
export const sessions = signal<readonly Session[] | undefined>(undefined)
export const counts = signal<SessionList["counts"] | undefined>(undefined)
export const hasOlder = signal(false)

/** Whether the store has no session at all, as far as the page knows. */
export const hasNone = computed(() => sessions.value?.length === 0 && search.value === "" && shown.value === "")

let pages = 1

interface Filter {
  readonly q: string
  readonly status?: string
  readonly archived?: string
}

const filterOf = (q: string, wanted: string): Filter => {
  if (wanted === "archived") return { q, archived: "true" }
  return wanted === "" ? { q } : { q, status: wanted }
}

/** Sessions that run or wait are listed however old they are. */
const readOpen = async (filter: Filter): Promise<readonly Session[]> => {
  if (filter.status !== undefined || filter.archived !== undefined) return []
  const each = ["paused", "running", "pending"].map((open) => server.sessions({ ...filter, status: open }))
  return (await Promise.all(each)).flatMap(({ items }) => items)
}

const readNewest = async (filter: Filter) => {
  const first = await server.sessions(filter)
  const items = [...first.items]
  let cursor = first.next_cursor
  for (let page = 1; page < pages && cursor !== null; page += 1) {
    const answer = await server.sessions({ ...filter, cursor })
    items.push(...answer.items)
    cursor = answer.next_cursor
  }
  return { items, counts: first.counts, hasOlder: cursor !== null }
}

const readSessions = async (): Promise<void> => {
  const [q, wanted] = [search.value, shown.value]
  const filter = filterOf(q, wanted)
  const [newest, open] = await Promise.all([readNewest(filter), readOpen(filter)])
  // Asked for something else in the meantime: the answer to that follows.
  if (q !== search.value || wanted !== shown.value) return
  counts.value = newest.counts
  hasOlder.value = newest.hasOlder
  const all = new Map([...newest.items, ...open].map((session) => [session.id, session]))
  sessions.value = [...all.values()].toSorted((left, right) => right.created_at.localeCompare(left.created_at))
}

export const sessionsRefresher = refresher("sessions", readSessions)

export const showOlder = (): void => {
  pages += 1
  void sessionsRefresher.now()
}

/** Lists the sessions that contain a text, have a status, or are archived. */
export const filterBy = (filter: { readonly q?: string; readonly shown?: string }): void => {
  search.value = filter.q ?? search.value
  shown.value = filter.shown ?? shown.value
  pages = 1
  void sessionsRefresher.now()
}
