import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import type { Session } from "../../contracts/session.ts"
import { forgetPauseManifest, removePauseManifest, writePauseManifest } from "./pause-manifest.ts"
import type { SessionHost } from "../host/session-host.ts"

type Warner = Pick<SessionHost, "warn">

/** The document is on stdout too: a directory that cannot be written to costs a warning, not the run. */
export const keepPauseManifest = async (host: Warner, cwd: string, document: OutcomeDocument): Promise<void> => {
  try {
    await writePauseManifest(cwd, document)
  } catch (error) {
    host.warn(`the pause manifest could not be written: ${reasonOf(error)}`)
  }
}

/** A new run or resume makes the last pause's manifest void. */
export const dropPauseManifest = async (host: Warner, cwd: string): Promise<void> => {
  try {
    await removePauseManifest(cwd)
  } catch (error) {
    host.warn(`an old pause manifest may remain: ${reasonOf(error)}`)
  }
}

/** What a deleted task wanted to do is not to stay behind in its directory. */
export const erasePauseManifest = async (host: Warner, { cwd, id }: Pick<Session, "cwd" | "id">): Promise<void> => {
  try {
    await forgetPauseManifest(cwd, id)
  } catch (error) {
    host.warn(`the pause manifest of task ${id} may remain: ${reasonOf(error)}`)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
