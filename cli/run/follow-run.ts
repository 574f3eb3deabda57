import type { FollowOptions } from "./follow-options.ts"
import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import { commandLineActor } from "../actor.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { InterruptSignal } from "../program/exit-code.ts"
import { type EventHost, followEvents } from "./progress/follow-events.ts"
import { Interrupted, orInterrupted } from "../host/interrupts.ts"

export interface Followed {
  /** Undefined if the time elapsed, or if an interrupt left the run to other workers. */
  readonly document: OutcomeDocument | undefined
  readonly interruptedBy: InterruptSignal | undefined
  /** The model's last text, as far as `--watch` has shown it. */
  readonly shownAnswer: string
}

/** Follows a run until it ends or pauses. An interrupt cancels the run and waits until it has ended, or leaves it to other workers, as the end of the terminal does. */
export const followRun = async (context: CliContext, host: EventHost, options: FollowOptions): Promise<Followed> => {
  const events = followEvents(context, host, options)
  try {
    const document = await waitForOutcome(context, host, options)
    if (document !== undefined) await events.settled()
    return { document, interruptedBy: context.interrupts.received(), shownAnswer: events.shownAnswer() }
  } finally {
    await events.stop()
  }
}

const waitForOutcome = async (
  { interrupts }: CliContext,
  { client }: EventHost,
  { sessionId, timeoutSeconds, onInterrupt, workerFailed }: FollowOptions,
): Promise<OutcomeDocument | undefined> => {
  const waiting = new AbortController()
  const limit = timeoutSeconds === undefined ? {} : { timeoutSeconds }
  const outcome = client.wait(sessionId, { ...limit, signal: waiting.signal })
  try {
    return await orInterrupted(interrupts, whileServed(outcome, workerFailed))
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    waiting.abort()
    if (onInterrupt === "leave" || interrupts.received() === "SIGHUP") return undefined
    await client.cancel(sessionId, commandLineActor())
    return await whileServed(client.wait(sessionId), workerFailed)
  }
}

const whileServed = <T>(outcome: Promise<T>, workerFailed: Promise<never> | undefined): Promise<T> =>
  workerFailed === undefined ? outcome : Promise.race([outcome, workerFailed])
