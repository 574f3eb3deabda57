import { realpath, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { findOwnProject } from "../../config/find-project.ts"
import { configFileName } from "../../domain/workspace/protected-paths.ts"
import { readConfig, shownName } from "../../config/read-config.ts"
import { acceptTrust, reviewTrust, type TrustReview } from "../../config/trust/review-trust.ts"
import { describeReview } from "../../config/trust/describe-review.ts"
import { revokeTrust } from "../../config/trust/trust-store.ts"
import type { CliContext } from "../program/cli-context.ts"
import { wrongUsage } from "../program/wrong-usage.ts"
import { trustOptions } from "../program/trust-options.ts"

/** Returns the folder that a path means: itself, or that of the configuration file. */
const folderOf = async (cwd: string, path: string): Promise<string> => {
  const wanted = resolve(cwd, path)
  const isFolder = await stat(wanted).then(
    (found) => found.isDirectory(),
    () => basename(wanted) !== configFileName,
  )
  return isFolder ? wanted : dirname(wanted)
}

/** Returns what the configuration of a project needs trust for. Rejects with `invalid_argument` if the project has none. */
export const reviewProject = async (context: CliContext, path = "."): Promise<TrustReview> => {
  const { cwd, env } = context
  const folder = await folderOf(cwd, path)
  const { configPath, projectRoot } = await findOwnProject(folder, env)
  if (configPath === null) throw wrongUsage(`${folder} has no ${configFileName}, and so needs no trust`)
  const { confinesCommands } = trustOptions(context)
  return reviewTrust({ ...(await readConfig(configPath, cwd)), configPath, projectRoot, env, confinesCommands })
}

/** Stores the trust in a reviewed configuration. A person at the terminal confirms it first. Returns whether it is trusted. */
export const trustReviewed = async (context: CliContext, review: TrustReview): Promise<boolean> => {
  if (review.state !== "new" && review.state !== "changed") return true
  const { ask, isGiven } = trustOptions(context)
  const name = shownName(context.cwd, review.configPath)
  const isWanted =
    ask === undefined || isGiven === true || (await ask(`${name} will be trusted`, describeReview(review)))
  if (isWanted) await acceptTrust(review, context.env)
  return isWanted
}

/** Withdraws the trust in the configuration of a project, which can be gone. Returns the path of the configuration file. */
export const revokeProject = async ({ cwd, env }: CliContext, path = "."): Promise<string> => {
  const folder = await folderOf(cwd, path)
  const project = await findOwnProject(folder, env).catch(() => undefined)
  const gone = join(await realpath(folder).catch(() => folder), configFileName)
  const configPath = project?.configPath ?? gone
  if (!(await revokeTrust(env, configPath)))
    throw wrongUsage(`${configPath} was not trusted; run "adjutant trust --list"`)
  return configPath
}
