import type { OutcomeDocument } from "../contracts/outcome-document.ts"
import type { PendingToolCall } from "../contracts/pause.ts"
import { commandLineActor } from "./actor.ts"
import type { CliContext } from "./cli-context.ts"
import type { InterruptSignal } from "./exit-code.ts"
import { followEvents } from "./follow-events.ts"
import { Interrupted } from "./interrupts.ts"
import { orInterrupted } from "./or-interrupted.ts"
import type { SessionHost } from "./session-host.ts"

export interface FollowOptions {
  readonly sessionId: string
  /** Events up to this id are old. */
  readonly afterEvent: number
  readonly watch: boolean
  /** Calls that were proposed before `afterEvent`, to be shown with their arguments when they run. */
  readonly pendingCalls?: readonly PendingToolCall[]
  /** What the first SIGINT or SIGTERM does to the run. */
  readonly onInterrupt: "cancel" | "leave"
  readonly timeoutSeconds?: number
  /** Rejects when this process's worker ends by itself: nobody might go on then. */
  readonly workerFailed?: Promise<never>
}

export interface Followed {
  /** Undefined where the time was over, or where an interrupt left the run alone. */
  readonly document: OutcomeDocument | undefined
  readonly interruptedBy: InterruptSignal | undefined
}

/** Follows a run until it is final or paused. An interrupt cancels it and waits for the cancelled run to be final, or leaves it alone. */
export const followRun = async (context: CliContext, host: SessionHost, options: FollowOptions): Promise<Followed> => {
  const events = followEvents(context, host, options)
  try {
    const document = await waitForOutcome(context, host, options)
    if (document !== undefined) await events.settled()
    return { document, interruptedBy: context.interrupts.received() }
  } finally {
    await events.stop()
  }
}

const waitForOutcome = async (
  { interrupts }: CliContext,
  { client }: SessionHost,
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
    if (onInterrupt === "leave") return undefined
    await client.cancel(sessionId, commandLineActor())
    return await whileServed(client.wait(sessionId), workerFailed)
  }
}

const whileServed = <T>(outcome: Promise<T>, workerFailed: Promise<never> | undefined): Promise<T> =>
  workerFailed === undefined ? outcome : Promise.race([outcome, workerFailed])
