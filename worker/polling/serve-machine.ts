import type { Logger } from "pino"
import { stopBackgroundHere } from "../../activities/run/stop-background.ts"
import { removeAbandonedWorktrees } from "../../activities/worktree/remove-abandoned.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { repeat } from "../repeat.ts"
import type { WorkerDependencies } from "../create-dependencies.ts"

/**
 * Stops the background processes that ended runs left on this machine while no worker of it could be asked. Those of a session that works again are
 * stopped with its next run.
 */
const stopLeftProcesses = async (
  deps: Pick<WorkerDependencies, "store" | "machine" | "sandboxFor">,
  logger: Pick<Logger, "info" | "warn">,
): Promise<void> => {
  const { store, machine } = deps
  try {
    for (const sessionId of await store.machines.leftOn(machine.name)) {
      const session = await store.sessions.get(sessionId)
      if (session !== undefined && !isFinal(session.status)) continue
      await stopBackgroundHere({ ...deps, logger }, sessionId)
      await store.machines.removeLeft(machine.name, sessionId)
      logger.info({ session_id: sessionId }, "stopped background processes that an ended run had left")
    }
  } catch (error) {
    logger.warn({ err: error }, "could not stop background processes of ended runs; the next worker tries again")
  }
}

const noteEveryMs = 86_400_000

/** Removes the worktrees that ended sessions have left, now and then again. Returns what ends that. */
const sweepWorktrees = async (deps: WorkerDependencies, logger: Pick<Logger, "warn">): Promise<() => void> => {
  const sweep = async (): Promise<void> => {
    try {
      await removeAbandonedWorktrees(deps)
    } catch (error) {
      logger.warn({ err: error }, "could not look for worktrees of ended sessions; trying again later")
    }
  }
  await sweep()
  return repeat(sweep, deps.timing.reconcileSeconds * 1_000)
}

/**
 * Notes that this machine has a worker, now and every day, and stops what ended runs left there. It must do so before it polls: other workers leave calls
 * to this machine from then on. Returns what ends the notes.
 */
export const serveMachine = async (deps: WorkerDependencies, logger: Pick<Logger, "info" | "warn">) => {
  const { store, machine } = deps
  await store.machines.note(machine.name)
  await stopLeftProcesses(deps, logger)
  const endSweeps = await sweepWorktrees(deps, logger)
  const endNotes = repeat(
    () =>
      store.machines.note(machine.name).catch((error: unknown) => {
        logger.warn({ err: error }, "could not store that this machine has a worker; trying again later")
      }),
    noteEveryMs,
  )
  return () => {
    endSweeps()
    endNotes()
  }
}
