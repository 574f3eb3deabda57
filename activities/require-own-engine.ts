import { isEngineMismatch } from "../sessions/engine/create-engine-guard.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"

const answerMs = 5_000

/** It compares the engines itself, and reports another one. */
const comparesItself = "reconcileSessions"

/** It shows its run as begun, which acknowledges the message: what took the place of the right engine a moment ago must not. */
const beginsRun = "openRun"

/**
 * Refuses an activity of an engine that the store does not belong to, as one from which it was moved: it has tasks of sessions that have advanced since.
 * That engine tries the activity again. An engine that does not answer is not another one.
 * @throws AdjutantError `engine_mismatch`
 */
export const requireOwnEngine = async ({ engine }: Pick<AgentDependencies, "engine">, name: string): Promise<void> => {
  if (name === comparesItself) return
  try {
    await (name === beginsRun ? engine.verify(answerMs) : engine.verifyFromTimeToTime(answerMs))
  } catch (error) {
    if (isEngineMismatch(error)) throw error
  }
}
