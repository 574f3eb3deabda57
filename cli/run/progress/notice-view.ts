import type { SessionEvent } from "../../../contracts/event.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { activityText, initialActivity, nextActivity } from "./activity.ts"
import { eventTextField } from "../../text/event-fields.ts"
import { waitedText, type RunWaits } from "./run-waits.ts"
import { createLookout } from "./lookout.ts"

export interface NoticeView {
  show(event: SessionEvent): void
  end(): void
}

export interface NoticeOptions {
  /** Writes a line to stderr. */
  readonly write: (line: string) => void
  /** Asks what the run waits for; absent where a status line shows it. */
  readonly findWaits?: () => Promise<RunWaits>
  /** Whether to write which tools are missing, or not in the list of the model; default: true. */
  readonly showsTools?: boolean
}

const lookMs = 500
/** A wait that ends sooner is not worth a line. */
const shortestWaitMs = 3_000
const repeatMs = 30_000

/** Writes missing tools and waits of a run on stderr, for a person who sees neither the progress nor a status line. */
export const createNoticeView = ({ write, findWaits, showsTools = true }: NoticeOptions): NoticeView => {
  const waits = findWaits === undefined ? undefined : createWaitNotices(write, findWaits)
  return {
    show(event) {
      if (showsTools && (event.type === "tools-unavailable" || event.type === "tools-unlisted"))
        write(oneLine(eventTextField(event, "message"), 400))
      waits?.show(event)
    },
    end: () => waits?.end(),
  }
}

/** Writes a line soon after a wait has begun or its reason has changed, then every 30 s, and at its end. */
const createWaitNotices = (write: NoticeOptions["write"], find: () => Promise<RunWaits>): NoticeView => {
  const lookout = createLookout(find)
  let activity = initialActivity([])
  let sinceMs: number | undefined
  let writtenAtMs: number | undefined
  // What the last line was about.
  let writtenType: string | undefined
  const over = (): void => {
    if (sinceMs !== undefined && writtenAtMs !== undefined)
      write(`the run continues after a wait of ${waitedText(Date.now() - sinceMs)}`)
    sinceMs = undefined
    writtenAtMs = undefined
    writtenType = undefined
  }
  const look = (): void => {
    lookout.lookIfDue()
    const found = lookout.found()
    if (found.blockedBy === null && activity.retry === null) return over()
    const nowMs = Date.now()
    sinceMs ??= nowMs
    const type = found.blockedBy?.type ?? "retry"
    // Each attempt of a run that waits for its provider begins with retries.
    const isNew = writtenAtMs === undefined || (type !== writtenType && type !== "retry")
    if (isNew ? nowMs - sinceMs < shortestWaitMs : nowMs - (writtenAtMs ?? sinceMs) < repeatMs) return
    // A run that waits for its provider has used up the attempts of which its events speak.
    const shown = found.blockedBy === null ? activity : initialActivity([])
    write(activityText(shown, nowMs, found) ?? "the run waits")
    writtenAtMs = nowMs
    writtenType = type === "retry" ? (writtenType ?? type) : type
  }
  const timer = setInterval(look, lookMs)
  timer.unref()
  return {
    show(event) {
      lookout.endSilence()
      activity = nextActivity(activity, event, Date.now())
      if (event.type === "run-finished" || event.type === "run-paused") {
        sinceMs = undefined
        writtenAtMs = undefined
      } else if (activity.retry === null) over()
    },
    end: () => clearInterval(timer),
  }
}
