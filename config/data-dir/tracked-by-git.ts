import { basename, dirname } from "node:path"
import { systemCode } from "../../domain/text/error-message.ts"
import { askGit, workTreeOf } from "./ask-git.ts"

type Tracked = "yes" | "no" | "unknown"

/** Returns whether the repository of a directory tracks a path below it. */
const tracks = async (directory: string, path: string): Promise<Tracked> => {
  if ((await workTreeOf(directory)) === undefined) return "no"
  const { error, stdout, stderr } = await askGit(directory, "ls-files", "--cached", "-z", "--", `:(literal)${path}`)
  if (stdout.length > 0) return "yes"
  if (error === null) return "no"
  // Without git, nobody cloned anything here.
  return systemCode(error) === "ENOENT" || /not a git repository/.test(stderr) ? "no" : "unknown"
}

/**
 * Returns whether git tracks any file of a directory; `unknown` if git cannot determine it. A directory that is a repository itself is also looked up in
 * the one around it, which it would hide.
 */
export const trackedByGit = async (directory: string): Promise<Tracked> => {
  const own = await tracks(directory, ".")
  return own === "no" ? await tracks(dirname(directory), basename(directory)) : own
}
