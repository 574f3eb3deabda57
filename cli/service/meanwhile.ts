import { existsSync, statSync, writeFileSync } from "node:fs"
import type { TaskClient } from "../../client/task-client.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { counted } from "../../domain/text/figures.ts"
import { serviceFiles } from "../../service/service-files.ts"
import type { CliContext } from "../program/cli-context.ts"
import { costText } from "../text/figures.ts"
import { plainText } from "../terminal/plain-text.ts"

/** What a command uses of this machine. */
export interface OwnTasks {
  readonly client: Pick<TaskClient, "list" | "usage">
  /** Absent for a server. */
  readonly dataDir?: string
}

const mostLooked = 200
const mostShownEnded = 5

/** Returns one line about the tasks that ended since a moment, and what all model calls cost since then; undefined if none ended. */
const meanwhileText = async ({ list, usage }: OwnTasks["client"], sinceMs: number): Promise<string | undefined> => {
  const { items } = await list({ limit: mostLooked })
  const ended = items.filter(
    (task) => task.parent_session_id === null && isFinal(task.status) && Date.parse(task.updated_at) > sinceMs,
  )
  if (ended.length === 0) return undefined
  const { total } = await usage({ from: new Date(sinceMs).toISOString() })
  const named = ended
    .slice(0, mostShownEnded)
    .map(({ id, title, status }) => `${id}${title ? ` ${title}` : ""} ${status}`)
  const more = ended.length > mostShownEnded ? ", …" : ""
  return `since your last command ended ${counted(ended.length, "task")} (${plainText(named.join(", "))}${more}), and model calls cost ${costText(total.cost_usd)}`
}

const isPersonThere = ({ io, env, options }: Pick<CliContext, "io" | "env" | "options">): boolean =>
  io.stderr.isTTY === true && options.output === "text" && (env["CI"] ?? "") === ""

const seenAtMs = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs

/**
 * Reports to a person at the terminal what ended since their last command for this data directory, and runs the command. Reading creates nothing: a directory
 * without a service has no mark of a last command.
 */
export const tellMeanwhile = async <Result>(
  context: Pick<CliContext, "io" | "env" | "options">,
  { client, dataDir }: OwnTasks,
  use: () => Promise<Result>,
): Promise<Result> => {
  if (dataDir === undefined || !isPersonThere(context)) return await use()
  const { directory, seen } = serviceFiles(dataDir)
  const sinceMs = seenAtMs(seen)
  // What it says is a courtesy: the command itself reports what is wrong.
  const text = sinceMs === undefined ? undefined : await meanwhileText(client, sinceMs).catch(() => undefined)
  if (text !== undefined) context.io.stderr.write(`${text}\n`)
  try {
    return await use()
  } finally {
    if (existsSync(directory)) writeFileSync(seen, "", { mode: 0o600 })
  }
}
