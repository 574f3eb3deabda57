import { existsSync } from "node:fs"
import path from "node:path"
import { chooseDataDir } from "../../config/data-dir/choose-data-dir.ts"
import { firstCommitOf, writeProjectRecord } from "../../config/data-dir/project-record.ts"
import { findOwnProject } from "../../config/find-project.ts"
import { foreignProgramsOf } from "../../domain/run/foreign-programs.ts"
import type { MovedPath } from "../../domain/run/moved-paths.ts"
import { openStore } from "../../store/open-store.ts"
import type { Store } from "../../store/store.ts"
import { printResult } from "../print-result.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { ExitCode } from "../program/exit-code.ts"
import { oneLine } from "../text/plain-text.ts"
import { wrongUsage } from "../wrong-usage.ts"
import { findSource, hasStore, requireKnownContents } from "./find-source.ts"
import { holdDataDir } from "./hold-data-dir.ts"
import { moveFiles } from "./move-files.ts"

interface MoveRequest {
  /** The project or data directory that is taken over. */
  readonly from: string
  /** `--yes`. */
  readonly isConfirmed: boolean
}

const withStore = async <T>(dataDir: string, use: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore({ url: "sqlite:", dataDir })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

const maxPrograms = 100

/** Returns what the person is shown of a data directory, one line each. Refuses what cannot be moved. */
const describeContents = async (dataDir: string, moved: readonly MovedPath[]): Promise<readonly string[]> => {
  const contents = await withStore(dataDir, ({ moves }) => moves.contents())
  const [worktree] = contents.openWorktrees
  if (worktree !== undefined)
    throw wrongUsage(`task ${worktree} works in a worktree: let it end, or cancel it, before the move`)
  const programs = [...new Set(contents.snapshots.flatMap(foreignProgramsOf))]
  const statuses = Object.entries(contents.statuses).map(([status, count]) => `${count} ${status}`)
  const further = programs.length - maxPrograms
  return [
    `tasks: ${statuses.length === 0 ? "none" : statuses.join(", ")}`,
    ...(contents.grants === 0 ? [] : [`grants, which end: ${contents.grants}`]),
    ...moved.map(({ from, to }) => `directories below ${from} become those below ${to}`),
    ...programs.slice(0, maxPrograms),
    ...(further > 0 ? [`and ${further} more programs, servers and hooks`] : []),
  ]
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

/** Returns the directories that are at another place now, the innermost first. */
const movedPaths = (pairs: readonly (readonly [from: string | undefined, to: string])[]): readonly MovedPath[] =>
  pairs.flatMap(([from, to]) =>
    from === undefined || from === to || path.dirname(from) === from ? [] : [{ from, to }],
  )

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
      await withStore(folder, ({ moves }) => moves.takeOver(moved))
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
