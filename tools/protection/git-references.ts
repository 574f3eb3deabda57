import { readFile, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { interpretedPaths, scriptsOf } from "../../domain/workspace/interpreted-paths.ts"
import { diskPath, pathOfBytes } from "../disk/disk-path.ts"

/** Keys whose values name no program and no file that git reads for instructions. */
const plainKeys: ReadonlySet<string> = new Set([
  "url",
  "pushurl",
  "fetch",
  "push",
  "merge",
  "remote",
  "worktree",
  "name",
  "email",
])

const maxConfigBytes = 1_000_000
const maxIncludes = 5

const words = (value: string): readonly string[] => value.split(/[\s"';|&()!=]+/).filter((word) => word !== "")

/** Returns the paths of the scripts that a value runs with an interpreter, in each form in which it finds them. */
const scriptsIn = (value: string): readonly string[] =>
  value.split(/[;|&()]+/).flatMap((part) => {
    const [command, ...args] = words(part)
    return command === undefined ? [] : scriptsOf({ command, args }, homedir()).flatMap(interpretedPaths)
  })

const fileType = async (path: string): Promise<"file" | "directory" | undefined> => {
  const found = await stat(diskPath(path)).catch(() => undefined)
  return found?.isFile() ? "file" : found?.isDirectory() ? "directory" : undefined
}

/** Returns the files and directories that a configuration of git names: hooks, included files, and programs of filters, editors and aliases. */
const namedIn = async (config: string, worktree: string, includesLeft: number): Promise<readonly string[]> => {
  const found = await stat(diskPath(config)).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size > maxConfigBytes) return []
  const text = await readFile(diskPath(config)).then(pathOfBytes, () => "")
  const named: string[] = []
  for (const line of text.split("\n")) {
    const [, key, value] = /^\s*(?:\[[^\]]*\]\s*)?([A-Za-z][\w-]*)\s*=\s*(.+)$/.exec(line) ?? []
    if (key === undefined || value === undefined || plainKeys.has(key.toLowerCase())) continue
    const mayBeDirectory = key.toLowerCase() === "hookspath"
    const whole = value.trim().replace(/^"(.*)"$/, "$1")
    for (const word of new Set([whole, ...words(value), ...scriptsIn(whole)]))
      for (const path of new Set([resolve(worktree, word), resolve(dirname(config), word)])) {
        const type = await fileType(path)
        if (type === "file" || (type === "directory" && mayBeDirectory)) named.push(path)
        if (type === "file" && key.toLowerCase() === "path" && includesLeft > 0)
          named.push(...(await namedIn(path, worktree, includesLeft - 1)))
      }
  }
  return named
}

/** Returns the absolute paths that the configuration of a git directory names, without duplicates. */
export const gitReferences = async (gitDirectory: string, worktree: string): Promise<readonly string[]> => {
  const configs = [join(gitDirectory, "config"), join(gitDirectory, "config.worktree")]
  return [...new Set((await Promise.all(configs.map((config) => namedIn(config, worktree, maxIncludes)))).flat())]
}

/** Returns what the configuration of the repository names in which a directory is. */
export const repositoryFiles = async (cwd: string): Promise<readonly string[]> => {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const named = await gitReferences(join(directory, ".git"), directory)
    if (named.length > 0 || dirname(directory) === directory) return named
  }
}
