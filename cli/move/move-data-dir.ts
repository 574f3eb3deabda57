import { existsSync } from "node:fs"
import path from "node:path"
import { chooseDataDir } from "../../config/data-dir/choose-data-dir.ts"
import { firstCommitOf, writeProjectRecord } from "../../config/data-dir/project-record.ts"
import { findOwnProject } from "../../config/find-project.ts"
import { printResult } from "../text/print-result.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { wrongUsage } from "../program/wrong-usage.ts"
import { findSource, hasStore, requireKnownContents } from "./find-source.ts"
import { holdDataDir } from "./hold-data-dir.ts"
import { describeContents, movedPaths, withMovable } from "./movable-store.ts"
import { moveFiles } from "./move-files.ts"

interface MoveRequest {
  /** The project or data directory that is taken over. */
  readonly from: string
  /** `--yes`. */
  readonly isConfirmed: boolean
}

const requireConsent = async (
  { confirm, io }: Pick<CliContext, "confirm" | "io">,
  { isConfirmed }: MoveRequest,
  text: string,
): Promise<boolean> => {
  if (!isConfirmed && confirm !== undefined) return await confirm(`${text}\nTake it over? [y/N] `)
  io.stderr.write(`${text}\n`)
  if (!isConfirmed) throw wrongUsage("nobody can be asked here: check what is listed, then pass --yes")
  return true
}

/** Takes over the tasks of another project or data directory. Everything in it stays stopped until each task is resumed. */
export const moveDataDir = async (context: CliContext, request: MoveRequest): Promise<ExitCode> => {
  const { cwd, env, options, confirm } = context
  const source = await findSource(cwd, request.from, env)
  const to = await chooseDataDir({ cwd, env, dataDir: options.dataDir, confirm })
  if (to === source.dataDir) throw wrongUsage(`${to} is the data directory of this project already`)
  await requireKnownContents(to)
  if (hasStore(to) || existsSync(path.join(to, "temporal.db")))
    throw wrongUsage(
      `${to} has tasks already, and two data directories cannot be merged: name an empty one with --data-dir`,
    )
  const { projectRoot } = await findOwnProject(cwd, env)
  const moved = movedPaths([
    [source.dataDir, to],
    [source.project, projectRoot],
  ])
  const lock = await holdDataDir(source.dataDir)
  try {
    const lines = (await describeContents(source.dataDir, moved)).map((line) => `  ${oneLine(line, 2_000)}`)
    if (!(await requireConsent(context, request, [`${source.dataDir} contains:`, ...lines].join("\n")))) {
      context.io.stderr.write("nothing was moved\n")
      return 1
    }
    await moveFiles({ from: source.dataDir, to }, async (folder) => {
      await withMovable(folder, ({ moves }) => moves.takeOver(moved))
      await writeProjectRecord(folder, { path: projectRoot, first_commit: await firstCommitOf(projectRoot) })
    })
  } finally {
    lock.release()
  }
  printResult(context, { from: source.dataDir, to }, () =>
    [`Moved to ${to}.`, 'Every task is stopped until "adjutant resume" continues it; "adjutant list" shows them.'].join(
      "\n",
    ),
  )
  return 0
}
