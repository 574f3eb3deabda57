import { cp, mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { errorMessage, systemCode } from "../../domain/text/error-message.ts"
import { contentAt } from "../protection/content.ts"
import type { ApprovedFile } from "../protection/watch-record.ts"
import { type ContentDirectory, createContentDirectory } from "./content-directory.ts"
import { gitProblem, requireGit, runGit } from "./git.ts"
import { repositoryOf } from "./repository.ts"

/**
 * `applied`: the files have the changes; `present`: they had them before; `conflict`: they do not fit, and nothing was changed; `partial`: git failed while
 * it wrote, and some files may have the changes.
 */
export type MergeResult =
  | { readonly kind: "applied" }
  | { readonly kind: "present" }
  | { readonly kind: "conflict" | "partial"; readonly reason: string }

const options = ["--whitespace=nowarn", "-p1"]

/** Returns the tree to which a patch leads from another one. @throws AdjutantError `invalid_argument` if it does not fit */
export const applyToTree = async (
  content: ContentDirectory,
  { workTree, base, patch }: { readonly workTree: string; readonly base: string; readonly patch: Buffer },
): Promise<string> => {
  if (patch.length === 0) return base
  const what = "the changes of the earlier run do not fit the files as they are now"
  await requireGit(content.command(["read-tree", base], workTree), what)
  await requireGit(content.command(["apply", "--cached", ...options], workTree, { input: patch }), what)
  return (await requireGit(content.command(["write-tree"], workTree), what)).toString("utf8").trim()
}

/** Runs `work` with a git directory that has only the objects of the repository. */
const withContent = async <T>(
  directory: string,
  work: (content: ContentDirectory, temporary: string) => Promise<T>,
): Promise<T> => {
  const repository = await repositoryOf(directory)
  const temporary = await realpath(await mkdtemp(join(tmpdir(), "adjutant-merge-")))
  try {
    return await work(await createContentDirectory(join(temporary, "content"), repository), temporary)
  } finally {
    // An error here must not hide the result of the work.
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Puts copies of files into another directory, those that exist. */
const copyFiles = async (from: string, to: string, paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await cp(join(from, path), join(to, path), { dereference: false, verbatimSymlinks: true }).catch(
      (error: unknown) => {
        if (systemCode(error) !== "ENOENT") throw error
      },
    )
  }
}

/**
 * Returns what a patch makes of the files that it changes, without reading them after it was applied: another program could have changed them by then.
 * Empty if it does not fit.
 */
export const patchedFiles = (
  directory: string,
  patch: Buffer,
  paths: readonly string[],
): Promise<readonly ApprovedFile[]> =>
  withContent(directory, async (content, temporary) => {
    const copy = join(temporary, "files")
    await mkdir(copy)
    await copyFiles(directory, copy, paths)
    const applied = await runGit(content.command(["apply", ...options], copy, { input: patch }))
    if (applied.code !== 0) return []
    return Promise.all(
      paths.map(async (path) => {
        let base64: string | undefined
        const after = await contentAt(join(copy, path), (_, bytes) => (base64 = Buffer.from(bytes).toString("base64")))
        return { path: join(directory, path), content: after, ...(base64 === undefined ? {} : { base64 }) }
      }),
    )
  })

/** The exit code of git if its check failed. It has then written nothing. */
const refusedByCheck = 1

/**
 * Applies a patch to the files of a directory, the root of a working tree. Git checks all of it before it writes anything, and follows no link. It leaves
 * no conflict markers. Whatever is thrown, nothing was written.
 */
export const mergePatch = (
  directory: string,
  patch: Buffer,
  { isDry }: { readonly isDry: boolean },
): Promise<MergeResult> =>
  withContent(directory, async (content) => {
    if (patch.length === 0) return { kind: "present" }
    const apply = (...more: readonly string[]) =>
      runGit(content.command(["apply", ...options, ...more], directory, { input: patch }))
    const fits = await apply("--check")
    if (fits.code !== 0)
      return (await apply("--check", "--reverse")).code === 0
        ? { kind: "present" }
        : { kind: "conflict", reason: gitProblem(fits) }
    if (isDry) return { kind: "applied" }
    try {
      const applied = await apply()
      if (applied.code === 0) return { kind: "applied" }
      return { kind: applied.code === refusedByCheck ? "conflict" : "partial", reason: gitProblem(applied) }
    } catch (error) {
      return { kind: "partial", reason: errorMessage(error) }
    }
  })
