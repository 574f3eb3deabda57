import { setTimeout as delay } from "node:timers/promises"
import type { SessionEvent } from "../../contracts/event.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { FollowOptions } from "./follow-options.ts"
import { createProgressView } from "./progress-view.ts"
import type { TaskHost } from "../host/task-host.ts"

/** What following a run needs. */
export type EventHost = Pick<TaskHost, "client" | "warn" | "redact">

/** The events of a run on their way to stdout (`ndjson`) and to the progress on stderr (`--watch`). */
export interface EventFollower {
  /** Resolves when every event up to the outcome has been shown. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** Longest wait for the last event: a tree can pause without an event of its root. */
const lastEventGraceMs = 500

const none: EventFollower = { settled: async () => undefined, stop: async () => undefined }

export const followEvents = (
  { io, options: { output } }: CliContext,
  { client, warn, redact }: EventHost,
  options: Pick<FollowOptions, "sessionId" | "afterEvent" | "watch" | "pendingCalls">,
): EventFollower => {
  const view = options.watch ? createProgressView(io.stderr, options.pendingCalls) : undefined
  if (view === undefined && output !== "ndjson") return none
  const stopping = new AbortController()
  const end = Promise.withResolvers<void>()
  const show = (event: SessionEvent): void => {
    if (output === "ndjson") io.stdout.write(`${redact(JSON.stringify(event))}\n`)
    view?.show(event)
    if (event.type === "run-finished" || event.type === "run-paused") end.resolve()
  }
  const reading = (async () => {
    try {
      for await (const event of client.watch(options.sessionId, {
        after: options.afterEvent,
        signal: stopping.signal,
      })) {
        show(event)
      }
    } catch (error) {
      if (!stopping.signal.aborted) warn(`the events cannot be followed: ${String(error)}`)
    }
  })()
  return {
    settled: () => Promise.race([end.promise, reading, delay(lastEventGraceMs, undefined, { ref: false })]),
    stop: () => {
      stopping.abort()
      return reading
    },
  }
}
