import { randomUUID } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { askGit, workTreeOf } from "./ask-git.ts"

const recordSchema = z.strictObject({
  version: z.literal(1),
  /** Real path of the project. */
  path: z.string(),
  /** Git's hash of the first commit of the project's repository; null if it has none, or was cloned without it. */
  first_commit: z.string().nullable(),
})

/** Whose data directory it is. */
export type ProjectRecord = z.infer<typeof recordSchema>

export type Confirm = (question: string) => Promise<boolean>

const recordFile = (dataDir: string): string => join(dataDir, "project.json")

/** Returns the project of a data directory; undefined if it is a named one, which belongs to no project. @throws AdjutantError `data_dir_unusable` */
export const readProjectRecord = async (dataDir: string): Promise<ProjectRecord | undefined> => {
  const file = recordFile(dataDir)
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, "utf8")))
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    const why = systemCode(error) ?? "its content is not valid"
    throw new AdjutantError("data_dir_unusable", `${file} cannot be used: ${why}; remove the file`, { cause: error })
  }
}

/** Records the project. A reader sees either the whole old record or the whole new one. */
export const writeProjectRecord = async (dataDir: string, record: Omit<ProjectRecord, "version">): Promise<void> => {
  const draft = `${recordFile(dataDir)}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify({ version: 1, ...record }, null, 2)}\n`, { flag: "wx", mode: 0o600 })
    await rename(draft, recordFile(dataDir))
  } finally {
    await rm(draft, { force: true })
  }
}

/** Returns the first commit of a repository; null if there is none, or if it was cloned without its first commits. */
export const firstCommitOf = async (projectRoot: string): Promise<string | null> => {
  if ((await workTreeOf(projectRoot)) === undefined) return null
  const shallow = await askGit(projectRoot, "rev-parse", "--is-shallow-repository")
  if (shallow.stdout.trim() !== "false") return null
  const { error, stdout } = await askGit(projectRoot, "rev-list", "--max-parents=0", "HEAD")
  const hash = stdout.trim().split("\n").at(-1)
  return error === null && hash !== undefined && /^[0-9a-f]{40,64}$/.test(hash) ? hash : null
}

/** Looks the commit up, which takes no longer in a long history. */
const hasCommit = async (projectRoot: string, commit: string): Promise<boolean> =>
  (await askGit(projectRoot, "cat-file", "-e", `${commit}^{commit}`)).error === null

interface SameRepository {
  readonly dataDir: string
  readonly projectRoot: string
  /** Records nothing. */
  readonly isReading: boolean
  readonly confirm: Confirm | undefined
}

/** Refuses the tasks of another repository that was in the same directory before, unless the person at the terminal accepts them. */
const acceptOther = async (place: SameRepository, recorded: string, found: string): Promise<void> => {
  const { dataDir, projectRoot, confirm } = place
  const problem = `${projectRoot} is another repository now: the tasks in ${dataDir} belong to the one whose first commit is ${recorded}, and the first commit of this one is ${found}`
  if (confirm === undefined)
    throw new AdjutantError(
      "data_dir_unusable",
      `${problem}; begin without them with another --data-dir, or use these tasks with --data-dir ${shellQuote(dataDir)} and the directory of their repository as --cwd`,
    )
  if (!(await confirm(`${problem}. Use these tasks with this repository? [y/N] `)))
    throw new AdjutantError("data_dir_unusable", `${problem}: nothing was started`)
}

/**
 * Requires that the directory of a project is still the same repository, and records it for the next time. Only whole clones that have a first commit are
 * compared. @throws AdjutantError `data_dir_unusable`
 */
export const requireSameRepository = async (place: SameRepository): Promise<void> => {
  const { dataDir, projectRoot, isReading } = place
  const record = await readProjectRecord(dataDir)
  const recorded = record?.first_commit ?? null
  if (recorded === null && isReading) return
  if (recorded !== null && ((await workTreeOf(projectRoot)) === undefined || (await hasCommit(projectRoot, recorded))))
    return
  const found = await firstCommitOf(projectRoot)
  if (record !== undefined && found === null) return
  if (recorded !== null && found !== null) await acceptOther(place, recorded, found)
  await writeProjectRecord(dataDir, { path: projectRoot, first_commit: found })
}
