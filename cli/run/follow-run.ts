import type { FollowOptions } from "./follow-options.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { InterruptSignal } from "../terminal/exit-code.ts"
import { type EventHost, followEvents } from "./progress/follow-events.ts"
import { Interrupted, orInterrupted } from "../terminal/interrupts.ts"

export interface Followed {
  /** Undefined if the run has no outcome yet: the time elapsed, a person interrupted the command and the run continues, or the service was stopped. */
  readonly document: OutcomeDocument | undefined
  readonly interruptedBy: InterruptSignal | undefined
  /** The service was stopped on purpose: the task rests. */
  readonly isResting: boolean
  /** The model's last text, as far as `--watch` has shown it. */
  readonly shownAnswer: string
}

/**
 * Follows a run until it ends or pauses. Ctrl-C cancels the run and waits for its end, or leaves it running, by `onInterrupt`. A terminal that is closed
 * always leaves it running.
 */
export const followRun = async (context: CliContext, host: EventHost, options: FollowOptions): Promise<Followed> => {
  const events = followEvents(context, host, options)
  try {
    const document = await waitForOutcome(context, host, options)
    if (document !== undefined) await events.settled()
    return {
      document,
      interruptedBy: context.interrupts.received(),
      isResting: false,
      shownAnswer: events.shownAnswer(),
    }
  } catch (error) {
    if (!isAdjutantError(error) || error.code !== "service_stopped") throw error
    host.warn(error.message)
    return { document: undefined, interruptedBy: undefined, isResting: true, shownAnswer: events.shownAnswer() }
  } finally {
    await events.stop()
  }
}

const waitForOutcome = async (
  { interrupts }: CliContext,
  { client }: EventHost,
  { sessionId, timeoutSeconds, onInterrupt }: FollowOptions,
): Promise<OutcomeDocument | undefined> => {
  const waiting = new AbortController()
  const limit = timeoutSeconds === undefined ? {} : { timeoutSeconds }
  const outcome = client.wait(sessionId, { ...limit, signal: waiting.signal })
  try {
    return await orInterrupted(interrupts, outcome)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    waiting.abort()
    if (onInterrupt === "leave" || interrupts.received() === "SIGHUP") return undefined
    await client.cancel(sessionId, commandLineActor())
    return await client.wait(sessionId)
  }
}
