import { chooseDataDir } from "../../config/data-dir/choose-data-dir.ts"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import { resolveTarget } from "../../sessions/view/resolve-target.ts"
import type { CliContext } from "../program/cli-context.ts"
import { projectStores } from "./other-stores.ts"

const isMissing = (error: unknown): error is AdjutantError =>
  isAdjutantError(error) && (error.code === "session_not_found" || error.code === "checkpoint_not_found")

/** Returns the other data directory of this user that has a target; undefined if none has it. */
const findOther = async (env: CliContext["env"], target: string, own: string): Promise<string | undefined> => {
  for await (const { dataDir, store } of projectStores(env)) {
    if (dataDir === own) continue
    if (
      await resolveTarget({ store }, target).then(
        () => true,
        () => false,
      )
    )
      return dataDir
  }
  return undefined
}

/**
 * Returns the error that a command ends with. For a task that the store of this project does not have, it names the data directory that was searched, and
 * the one of another project that has the task.
 */
export const explainMissing = async (
  { cwd, env, options }: Pick<CliContext, "cwd" | "env" | "options">,
  error: unknown,
  target: string | undefined,
): Promise<unknown> => {
  if (!isMissing(error) || options.server !== undefined || target === undefined) return error
  const own = await chooseDataDir({ cwd, env, dataDir: options.dataDir, isReading: true }).catch(() => undefined)
  if (own === undefined) return error
  const other = await findOther(env, target, own)
  if (other === undefined && error.message.includes(own)) return error
  if (other === undefined) {
    const { code, reason } = error
    return new AdjutantError(code, `${error.message} (searched: ${own})`, { cause: error, reason })
  }
  const message = `${target} is in the data directory ${other}, and not in ${own}: use it with --data-dir ${shellQuote(other)}, or, if the project was moved, run "adjutant move ${shellQuote(other)}" to take over all its tasks`
  return new AdjutantError(error.code, message, { cause: error })
}
