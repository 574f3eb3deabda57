import type { OutcomeDocument } from "../contracts/outcome-document.ts"
import { removePauseManifest, writePauseManifest } from "./pause-manifest.ts"
import type { SessionHost } from "./session-host.ts"

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

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
