import type { SessionEvent } from "../../../contracts/event.ts"
import type { Paint } from "../../terminal/paint.ts"
import type { Screen } from "../../terminal/screen.ts"
import { oneRow } from "../../text/plain-text.ts"
import { activityText, initialActivity, nextActivity } from "./activity.ts"
import type { ProposedCall } from "./event-fields.ts"
import { noWaits, type RunWaits } from "./run-waits.ts"

export interface StatusView {
  show(event: SessionEvent): void
  end(): void
}

export interface StatusOptions {
  readonly screen: Screen
  readonly paint: Paint
  /** Width of the terminal. */
  readonly columns: () => number
  readonly earlierCalls: readonly ProposedCall[]
  /** Asks what the run waits for. It is asked while no event comes. */
  readonly findWaits?: () => Promise<RunWaits>
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMs = 120

/** How long no event has come before the first question, and the longest time between two: each asks the store and the engine. */
const firstLookMs = 2_000
const longestLookMs = 10_000

/** Asks what the run waits for while no event comes, less and less often. What was found is shown until the next event. */
const createLookout = (find: () => Promise<RunWaits>) => {
  let found = noWaits
  let silence = {}
  let isAsking = false
  let waitMs = firstLookMs
  let nextMs = Date.now() + waitMs
  const look = async (): Promise<void> => {
    const before = silence
    // Followers of the events report what fails; the status does without.
    const answer = await find().catch(() => noWaits)
    isAsking = false
    waitMs = Math.min(waitMs * 2, longestLookMs)
    nextMs = Date.now() + waitMs
    if (silence === before) found = answer
  }
  return {
    found: () => found,
    lookIfDue: (): void => {
      if (isAsking || Date.now() < nextMs) return
      isAsking = true
      void look()
    },
    endSilence: (): void => {
      silence = {}
      found = noWaits
      waitMs = firstLookMs
      nextMs = Date.now() + waitMs
    },
  }
}

/** Shows on the last line of a terminal what the run is doing, until the view ends. */
export const createStatusView = ({
  screen,
  paint,
  columns,
  earlierCalls,
  findWaits = async () => noWaits,
}: StatusOptions): StatusView => {
  let activity = initialActivity(earlierCalls)
  const lookout = createLookout(findWaits)
  let frame = 0
  const draw = (): void => {
    const text = activityText(activity, Date.now(), lookout.found())
    const mark = frames[frame % frames.length] ?? ""
    screen.setStatus(text === undefined ? undefined : paint.dim(oneRow(`${mark} ${text}`, Math.max(10, columns() - 1))))
  }
  const timer = setInterval(() => {
    frame += 1
    lookout.lookIfDue()
    draw()
  }, frameMs)
  timer.unref()
  return {
    show: (event) => {
      lookout.endSilence()
      activity = nextActivity(activity, event, Date.now())
      draw()
    },
    end: () => {
      clearInterval(timer)
      screen.setStatus(undefined)
    },
  }
}
