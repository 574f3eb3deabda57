import { signal } from "@preact/signals"
import type { Session } from "../../contracts/session.ts"
import { server } from "../api/server.ts"
import type { SessionList } from "../api/shapes.ts"
import { refresher } from "./refresher.ts"

export const search = signal("")
export const status = signal("")
/** The sessions of the list: the newest, and all that run or wait, however old they are. Undefined before the first answer. */
export const sessions = signal<readonly Session[] | undefined>(undefined)
export const counts = signal<SessionList["counts"] | undefined>(undefined)
export const hasOlder = signal(false)

let pages = 1

const readPages = async (): Promise<void> => {
  const filter = { q: search.value, status: status.value }
  const open = status.value === "" ? ["paused", "running", "pending"] : []
  const others = Promise.all(open.map((each) => server.sessions({ ...filter, status: each })))
  const items: Session[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < pages && cursor !== null; page += 1) {
    const answer = await server.sessions({ ...filter, ...(cursor === undefined ? {} : { cursor }) })
    items.push(...answer.items)
    counts.value = answer.counts
    cursor = answer.next_cursor
  }
  for (const answer of await others) items.push(...answer.items)
  // Asked for something else in the meantime: the answer to that follows.
  if (filter.q !== search.value || filter.status !== status.value) return
  hasOlder.value = cursor !== null && cursor !== undefined
  sessions.value = [...new Map(items.map((session) => [session.id, session])).values()].toSorted((left, right) =>
    right.created_at.localeCompare(left.created_at),
  )
}

export const sessionsRefresher = refresher("sessions", readPages)

export const showOlder = (): void => {
  pages += 1
  void sessionsRefresher.now()
}

/** Lists the sessions that contain a text, or have a status. */
export const filterBy = (filter: { readonly q?: string; readonly status?: string }): void => {
  search.value = filter.q ?? search.value
  status.value = filter.status ?? status.value
  pages = 1
  void sessionsRefresher.now()
}
