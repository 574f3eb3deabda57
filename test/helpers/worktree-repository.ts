import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Test"],
      [`GIT_${who}_EMAIL`, "test@example.org"],
    ]),
  ),
}

/** Runs git as a user would, and returns its output without the last line break. */
export const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env, encoding: "utf8" }).replace(/\n$/, "")

/** Writes a file, with the directories on the way to it. */
export const put = (root: string, path: string, content: string | Buffer): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

export const textOf = (root: string, path: string): string => readFileSync(join(root, path), "utf8")

/** Makes a directory a repository with one commit of the given files. */
export const initRepository = (root: string, files: Readonly<Record<string, string>>): void => {
  git(root, "init", "-q", "-b", "main")
  for (const [path, content] of Object.entries(files)) put(root, path, content)
  git(root, "add", "-A")
  git(root, "commit", "-q", "-m", "first")
}

/** Returns what is left of worktrees: in git's list, in the repository and in the data directory. */
export const worktreesLeft = (repository: string, dataDir: string): readonly string[] => {
  const entries = (path: string): readonly string[] => {
    try {
      return readdirSync(path)
    } catch {
      return []
    }
  }
  return [
    ...git(repository, "worktree", "list", "--porcelain")
      .split("\n")
      .filter((line) => line.startsWith("worktree "))
      .slice(1),
    ...entries(join(repository, ".git", "worktrees")),
    ...entries(join(dataDir, "worktrees")),
  ]
}
