import { computed, signal } from "@preact/signals"
import type { Session } from "../../contracts/session/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { server } from "../api/server.ts"
import type { SessionList } from "../api/shapes.ts"
import { refresher } from "./refresher.ts"
import { statusNames } from "../shown/status-names.ts"

const shownOf = (wanted: string | null): string =>
  wanted !== null && [...statusNames, "archived"].includes(wanted) ? wanted : ""

const fromAddress = new URLSearchParams(globalThis.location?.search ?? "")
export const search = signal(fromAddress.get("q") ?? "")
/** A status, `archived`, or nothing for all that lists show. */
export const shown = signal(shownOf(fromAddress.get("show")))
/** The sessions of the list: the newest, and all that run or wait, however old they are. Undefined before the first answer. */
export const sessions = signal<readonly Session[] | undefined>(undefined)
export const counts = signal<SessionList["counts"] | undefined>(undefined)
export const hasOlder = signal(false)

/** Whether the store has no session at all, as far as the page knows. */
export const hasNone = computed(() => sessions.value?.length === 0 && search.value === "" && shown.value === "")

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

/** Whether more than the first page was read: what was listed then stays. */
let hasPaged = false
let nextCursor: string | null = null
const mostReadAgain = 20

/** Returns older sessions as they are now: those that were open and are in no list any more have changed. */
const settledOlder = async (known: readonly Session[], listed: ReadonlySet<string>): Promise<readonly Session[]> => {
  const changed = known.filter(({ id, status }) => !listed.has(id) && !isFinal(status)).slice(0, mostReadAgain)
  const read = await Promise.all(changed.map(({ id }) => server.session(id).catch(() => undefined)))
  const now = new Map(changed.map(({ id }, index) => [id, read[index]]))
  return known.flatMap((session) => (now.has(session.id) ? (now.get(session.id) ?? []) : [session]))
}

const show = (lists: readonly (readonly Session[])[]): void => {
  const all = new Map(lists.flat().map((session) => [session.id, session]))
  sessions.value = [...all.values()].toSorted((left, right) => right.created_at.localeCompare(left.created_at))
}

const readSessions = async (): Promise<void> => {
  const [q, wanted] = [search.value, shown.value]
  const filter = filterOf(q, wanted)
  const [newest, open] = await Promise.all([server.sessions(filter), readOpen(filter)])
  const known = hasPaged ? (sessions.value ?? []) : []
  const settled = await settledOlder(known, new Set([...newest.items, ...open].map(({ id }) => id)))
  // Asked for something else in the meantime: the answer to that follows.
  if (q !== search.value || wanted !== shown.value) return
  if (!hasPaged) nextCursor = newest.next_cursor
  counts.value = newest.counts
  hasOlder.value = nextCursor !== null
  const stillShown = settled.filter(({ status }) => filter.status === undefined || status === filter.status)
  show([stillShown, newest.items, open])
}

export const sessionsRefresher = refresher("sessions", readSessions)

/** Reads one more page. */
export const showOlder = async (): Promise<void> => {
  const [q, wanted, cursor] = [search.value, shown.value, nextCursor]
  if (cursor === null) return
  const page = await server.sessions({ ...filterOf(q, wanted), cursor })
  if (q !== search.value || wanted !== shown.value || cursor !== nextCursor) return
  hasPaged = true
  nextCursor = page.next_cursor
  hasOlder.value = nextCursor !== null
  show([page.items, sessions.value ?? []])
}

/** Keeps the filter in the address, in front of what the fragment shows: it outlives a reload, and can be given to others. */
const keepInAddress = (): void => {
  const address = new URL(location.href)
  for (const [name, value] of Object.entries({ q: search.value, show: shown.value }))
    if (value === "") address.searchParams.delete(name)
    else address.searchParams.set(name, value)
  history.replaceState(history.state, "", address)
}

/** Lists the sessions that contain a text, have a status, or are archived. */
export const filterBy = (filter: { readonly q?: string; readonly shown?: string }): void => {
  search.value = filter.q ?? search.value
  shown.value = filter.shown ?? shown.value
  hasPaged = false
  nextCursor = null
  keepInAddress()
  void sessionsRefresher.now()
}
