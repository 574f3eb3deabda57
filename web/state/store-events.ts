import type { EventType, SessionEvent } from "../../contracts/event.ts"
import { followStore } from "../api/event-stream.ts"
import { approvalsRefresher } from "./approvals.ts"
import { repeated } from "./connection.ts"
import { sessionsRefresher } from "./sessions.ts"

const listeners = new Set<(event: SessionEvent | "connected") => void>()

/** Tells every event of the store from now on, and every new connection, after which events may have been missed. Returns how to stop. */
export const onStoreEvent = (listener: (event: SessionEvent | "connected") => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const affectApprovals: ReadonlySet<EventType> = new Set([
  "run-paused",
  "decision-recorded",
  "run-started",
  "run-finished",
])
const areMany: ReadonlySet<EventType> = new Set(["text-delta", "reasoning-delta", "tool-progressed"])
/** Decisions become events only when the run goes on, and the page may have been asleep. */
const refreshMs = 5_000

/** Follows the one stream of events of this tab, and keeps the lists fresh with it. */
export const startStoreEvents = (): void => {
  const connection = repeated("events")
  const refresh = () => {
    sessionsRefresher.soon()
    approvalsRefresher.soon()
  }
  void followStore({
    signal: new AbortController().signal,
    onOpen: () => {
      connection.works()
      refresh()
      for (const listener of listeners) listener("connected")
    },
    onLost: connection.failed,
    onEvent: (event) => {
      for (const listener of listeners) listener(event)
      if (areMany.has(event.type)) return
      sessionsRefresher.soon()
      if (affectApprovals.has(event.type)) approvalsRefresher.soon()
    },
  })
  void sessionsRefresher.now()
  void approvalsRefresher.now()
  setInterval(() => document.visibilityState === "visible" && refresh(), refreshMs)
}
