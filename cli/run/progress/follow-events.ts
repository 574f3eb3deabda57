import { setTimeout as delay } from "node:timers/promises"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { SessionEvent } from "../../../contracts/event.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { TaskHost } from "../../host/hosts.ts"
import type { FollowOptions } from "../follow-options.ts"
import { isTerminal } from "../../terminal/paint.ts"
import { createNoticeView } from "./notice-view.ts"
import { createProgressView, type ProgressView } from "./progress-view.ts"
import { findWaits } from "./run-waits.ts"
import { createStatusView } from "./status-view.ts"

/** What following a run needs. */
export type EventHost = Pick<TaskHost, "client" | "warn" | "redact">

/** Shows the events of a run: on stdout (`ndjson`), as progress on stderr (`--watch`), and in the status line of a terminal. */
export interface EventFollower {
  /** Resolves when every event up to the outcome has been shown. */
  settled(): Promise<void>
  stop(): Promise<void>
  /** Returns the model's last text, as far as the progress has shown it. */
  shownAnswer(): string
}

/** Longest wait for the last event: a tree can pause without an event of its root. */
const lastEventGraceMs = 500

type View = Omit<ProgressView, "answer">

/** Returns the permanent lines of `--watch`, which begin with the task's id. */
const watchView = ({ io: { screen, stderr } }: CliContext, options: FollowedEvents): ProgressView | undefined => {
  const { watch, isContinued = false, sessionId, pendingCalls } = options
  if (!watch) return undefined
  if (!isContinued) screen.writePart(`task ${sessionId}\n`)
  return createProgressView(screen, { earlierCalls: pendingCalls ?? [], showsRunning: stderr.isTTY !== true })
}

/** Returns the line at a terminal that says what the run is doing. */
const statusView = (
  { io, env }: CliContext,
  { client }: Pick<EventHost, "client">,
  { sessionId, pendingCalls = [] }: FollowedEvents,
): View | undefined => {
  const { stderr, screen, paint } = io
  if (!isTerminal(stderr, env)) return undefined
  return createStatusView({
    screen,
    paint: paint.stderr,
    columns: () => stderr.columns || 80,
    earlierCalls: pendingCalls,
    findWaits: () => findWaits(client, sessionId),
  })
}

/** Returns the lines for what no other view shows: `--watch` shows missing tools, and a status line what the run waits for. */
const noticeView = (
  { io: { screen, stderr }, env }: CliContext,
  { client, redact }: Pick<EventHost, "client" | "redact">,
  { sessionId, watch }: FollowedEvents,
): View | undefined => {
  const hasStatus = isTerminal(stderr, env)
  if (hasStatus && watch) return undefined
  return createNoticeView({
    write: (line) => {
      screen.endLine()
      screen.writePart(redact(`adjutant: ${line}\n`))
    },
    ...(hasStatus ? {} : { findWaits: () => findWaits(client, sessionId) }),
    showsTools: !watch,
  })
}

type FollowedEvents = Pick<FollowOptions, "sessionId" | "afterEvent" | "watch" | "pendingCalls" | "isContinued">

export const followEvents = (
  context: CliContext,
  { client, warn, redact }: EventHost,
  options: FollowedEvents,
): EventFollower => {
  const isStreaming = context.options.output === "ndjson"
  const progress = watchView(context, options)
  const views: readonly (View | undefined)[] = [
    progress,
    statusView(context, { client }, options),
    noticeView(context, { client, redact }, options),
  ]
  const stopping = new AbortController()
  const end = Promise.withResolvers<void>()
  const show = (event: SessionEvent): void => {
    if (isStreaming) context.io.stdout.write(`${redact(JSON.stringify(event))}\n`)
    for (const view of views) view?.show(event)
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
      const isKnown = isAdjutantError(error) && error.code === "service_stopped"
      if (!stopping.signal.aborted && !isKnown) warn(`the events cannot be followed: ${String(error)}`)
    }
  })()
  return {
    settled: () => Promise.race([end.promise, reading, delay(lastEventGraceMs, undefined, { ref: false })]),
    stop: async () => {
      stopping.abort()
      await reading
      for (const view of views.toReversed()) view?.end()
    },
    shownAnswer: () => progress?.answer() ?? "",
  }
}
