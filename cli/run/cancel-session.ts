import type { Stopped } from "../../domain/delegation/answers/stopped-answer.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import type { CliContext } from "../program/cli-context.ts"
import { erasePauseManifest } from "./keep-pause-manifest.ts"
import { orInterrupted } from "../terminal/interrupts.ts"
import type { TaskHost } from "../host/hosts.ts"

const finalWaitSeconds = 60

/**
 * Cancels a session with everything below it, and waits until it is final.
 */
export const cancelSession = async (
  host: TaskHost,
  { interrupts }: Pick<CliContext, "interrupts">,
  sessionId: string,
): Promise<Stopped> => {
  const session = await host.client.info(sessionId)
  const stopped = (status: Stopped["status"]): Stopped => ({ id: sessionId, status, hadEnded: isFinal(session.status) })
  // With a server, the file is in the directory of the job that asked.
  await erasePauseManifest(host, { cwd: host.manifestDirectory(session.cwd), id: sessionId })
  // The session has ended, but children of it may run: they are cancelled, now or by the next worker.
  if (isFinal(session.status)) return stopped((await host.client.cancel(sessionId, commandLineActor())).status)
  await host.warnWithoutWorker()
  const { status } = await host.client.cancel(sessionId, commandLineActor())
  if (isFinal(status)) return stopped(status)
  await orInterrupted(interrupts, host.client.wait(sessionId, { timeoutSeconds: finalWaitSeconds }))
  return stopped((await host.client.info(sessionId)).status)
}
