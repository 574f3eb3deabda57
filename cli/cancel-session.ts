import type { Status } from "../contracts/status.ts"
import { isFinal } from "../domain/run/is-final.ts"
import { commandLineActor } from "./actor.ts"
import type { CliContext } from "./program/cli-context.ts"
import { orInterrupted } from "./host/interrupts.ts"
import type { SessionHost } from "./host/session-host.ts"

const finalWaitSeconds = 60

/**
 * Cancels and waits until the session is final. If no worker serves the store (a paused task whose `run` has ended), this process starts one for
 * that tree, so that the cancellation takes effect now.
 */
export const cancelSession = async (context: CliContext, host: SessionHost, sessionId: string): Promise<Status> => {
  const session = await host.client.info(sessionId)
  if (isFinal(session.status)) return session.status
  if (!(await host.client.hasWorker())) {
    const { hostQueue } = await orInterrupted(context.interrupts, host.startWorker({ rootId: session.root_session_id }))
    if (hostQueue !== undefined) await host.announceHost(session.root_session_id, hostQueue)
  }
  const { status } = await host.client.cancel(sessionId, commandLineActor())
  if (isFinal(status)) return status
  await orInterrupted(context.interrupts, host.client.wait(sessionId, { timeoutSeconds: finalWaitSeconds }))
  return (await host.client.info(sessionId)).status
}
