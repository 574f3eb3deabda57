import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { Session } from "../../contracts/session/session.ts"
import { forgetPauseManifest, writePauseManifest } from "../../sessions/outcome/pause-manifest.ts"
import type { TaskHost } from "../host/hosts.ts"

type Warner = Pick<TaskHost, "warn">

/** Writes the pause manifest. The document is on stdout as well, so a directory that is not writable causes only a warning. */
export const keepPauseManifest = async (host: Warner, cwd: string, document: OutcomeDocument): Promise<void> => {
  try {
    await writePauseManifest(cwd, document)
  } catch (error) {
    host.warn(`the pause manifest cannot be written: ${reasonOf(error)}`)
  }
}

/** Removes the manifest of a task's pause, which has ended, from its directory. That of another task stays: its pause lasts. */
export const erasePauseManifest = async (host: Warner, { cwd, id }: Pick<Session, "cwd" | "id">): Promise<void> => {
  try {
    await forgetPauseManifest(cwd, id)
  } catch (error) {
    host.warn(`the pause manifest of task ${id} cannot be removed: ${reasonOf(error)}`)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
