import type { Status } from "../contracts/status.ts"
import { isFinal } from "../domain/run/is-final.ts"
import { commandLineActor } from "./actor.ts"
import type { CliContext } from "./program/cli-context.ts"
import { orInterrupted } from "./host/interrupts.ts"
import type { TaskHost } from "./host/task-host.ts"

const finalWaitSeconds = 60

/**
 * Cancels a session with everything below it, and waits until it is final. If no worker serves the store (a paused task whose `run` has ended), this process starts one for
 * that tree, so that the cancellation takes effect now.
 */
export const cancelSession = async (
  host: TaskHost,
  { interrupts }: Pick<CliContext, "interrupts">,
  sessionId: string,
): Promise<Status> => {
  const session = await host.client.info(sessionId)
  // What is below a session that has ended is cancelled, too: its worker, or the next one, carries that out.
  if (isFinal(session.status)) return (await host.client.cancel(sessionId, commandLineActor())).status
  if (!(await host.client.hasWorker())) await host.joinTree(session.root_session_id)
  const { status } = await host.client.cancel(sessionId, commandLineActor())
  if (isFinal(status)) return status
  await orInterrupted(interrupts, host.client.wait(sessionId, { timeoutSeconds: finalWaitSeconds }))
  return (await host.client.info(sessionId)).status
}
