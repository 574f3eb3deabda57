import { cp, rename, rm } from "node:fs/promises"
import path from "node:path"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { wrongUsage } from "../program/wrong-usage.ts"

/** What is not taken over: keys, records of processes and of what was accepted, and copies of what the store has. */
export const left = [
  "server",
  "service",
  "api-token",
  "mcp-tools",
  "watches",
  "scratch",
  "worktrees",
  "session",
  "shown-warnings",
]

/**
 * Moves the files of a data directory, prepares them where nothing finds them, and gives them their final place. If that is interrupted, the directory is
 * at one of the two other places, whole.
 */
export const moveFiles = async (
  { from, to }: { readonly from: string; readonly to: string },
  prepare: (folder: string) => Promise<void>,
): Promise<void> => {
  const folder = `${to}.moving`
  let isCopy = false
  try {
    await rename(from, folder)
  } catch (error) {
    if (systemCode(error) === "ENOTEMPTY" || systemCode(error) === "EEXIST")
      throw wrongUsage(`an earlier move was interrupted: run "adjutant move ${shellQuote(folder)}" first`)
    if (systemCode(error) !== "EXDEV") throw error
    isCopy = true
    await rm(folder, { recursive: true, force: true })
    await cp(from, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  }
  for (const name of left) await rm(path.join(folder, name), { recursive: true, force: true })
  await prepare(folder)
  await rm(to, { recursive: true, force: true })
  await rename(folder, to)
  if (isCopy) await rm(from, { recursive: true, force: true })
}
