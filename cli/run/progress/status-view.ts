import type { SessionEvent } from "../../../contracts/event.ts"
import type { Paint } from "../../terminal/paint.ts"
import type { Screen } from "../../terminal/screen.ts"
import { oneTerminalRow } from "../../terminal/plain-text.ts"
import { activityText, initialActivity, nextActivity } from "./activity.ts"
import type { EventCall } from "../../text/event-fields.ts"
import { createLookout } from "./lookout.ts"
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
  readonly earlierCalls: readonly EventCall[]
  /** Asks what the run waits for. It is asked while no event comes. */
  readonly findWaits?: () => Promise<RunWaits>
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMs = 120

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
    screen.setStatus(
      text === undefined ? undefined : paint.dim(oneTerminalRow(`${mark} ${text}`, Math.max(10, columns() - 1))),
    )
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
