import type { SessionEvent } from "../../../contracts/event.ts"
import type { Paint } from "../../terminal/paint.ts"
import type { Screen } from "../../terminal/screen.ts"
import { oneRow } from "../../text/plain-text.ts"
import { activityText, initialActivity, nextActivity } from "./activity.ts"
import type { ProposedCall } from "./event-fields.ts"

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
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMs = 120

/** Shows on the last line of a terminal what the run is doing, until the view ends. */
export const createStatusView = ({ screen, paint, columns, earlierCalls }: StatusOptions): StatusView => {
  let activity = initialActivity(earlierCalls)
  let frame = 0
  const draw = (): void => {
    const text = activityText(activity, Date.now())
    const mark = frames[frame % frames.length] ?? ""
    screen.setStatus(text === undefined ? undefined : paint.dim(oneRow(`${mark} ${text}`, Math.max(10, columns() - 1))))
  }
  const timer = setInterval(() => {
    frame += 1
    draw()
  }, frameMs)
  timer.unref()
  return {
    show: (event) => {
      activity = nextActivity(activity, event, Date.now())
      draw()
    },
    end: () => {
      clearInterval(timer)
      screen.setStatus(undefined)
    },
  }
}
