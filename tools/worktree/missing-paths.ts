import { nulEntries, gitPathText, runGit } from "./git.ts"

const maxBytes = 256 * 1024 ** 2

const listed = async (cwd: string, ...args: readonly string[]): Promise<readonly string[]> => {
  const { code, isCut, stdout } = await runGit({ args: ["ls-files", "-z", ...args], cwd, maxBytes })
  return code === 0 && !isCut ? nulEntries(stdout) : []
}

/**
 * Returns what a worktree of a directory lacks, for people and models: submodules and other repositories inside it, whose files are not the repository's. Of a
 * directory that can have no worktree, it returns nothing.
 */
export const missingPaths = async (source: string): Promise<readonly string[]> => {
  const [index, others] = await Promise.all([
    listed(source, "--stage"),
    listed(source, "--others", "--exclude-standard"),
  ]).catch(() => [[], []])
  return [
    ...index.flatMap((entry) =>
      entry.startsWith("160000 ") ? [`${gitPathText(entry.slice(entry.indexOf("\t") + 1))} (a submodule)`] : [],
    ),
    ...others.flatMap((path) => (path.endsWith("/") ? [`${gitPathText(path)} (a repository of its own)`] : [])),
  ]
}
