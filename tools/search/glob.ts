import { lstat, realpath, stat } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative } from "node:path"
import { escapePath } from "tinyglobby"
import { globInputSchema, type GlobInput } from "../../contracts/tool-input.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { confinePath, hiddenDirectories, isHidden } from "../files/confined-path.ts"
import { heldPath, openDirectory } from "../disk/open-confined.ts"
import { newestFirst } from "./newest-first.ts"
import { runInThread } from "./run-in-thread.ts"
import { defineTool, type ToolContext, type ToolResult } from "../tool.ts"
import { answeringFailures, ToolFailure } from "../tool-failure.ts"

const maxFiles = 200
const defaultIgnored = ["node_modules", ".git"] as const

/** Matches `.` and `..` as path segments, also as an alternative in braces or parentheses. */
const goesUp = /(^|[/{,(|])\.\.?([/},)|]|$)/

const relativePattern = (pattern: string, base: string): string => {
  const inside = isAbsolute(pattern) && pattern.startsWith(`${base}/`) ? pattern.slice(base.length + 1) : pattern
  const plain = inside.replace(/^(\.\/)+/, "")
  if (isAbsolute(plain) || /[{,(|]\//.test(plain) || goesUp.test(plain)) {
    throw new ToolFailure("the pattern must be relative, without . or .. segments; give another directory as path")
  }
  return plain
}

/** Returns which of a directory's files exist, looked up through its handle. Returns none if it is not a real directory that tools can see. */
const existingIn = async (directory: string, files: readonly string[], context: ToolContext): Promise<string[]> => {
  const cwd = await realpath(context.cwd)
  const real = await realpath(directory)
  if (!isInside(cwd, real) || (await isHidden(real, context))) return []
  const handle = await openDirectory({ real, shown: relative(cwd, real) })
  try {
    const held = await heldPath(handle, real)
    const found = await Promise.all(
      files.map(async (file) => {
        const entry = await lstat(join(held, basename(file))).catch(() => undefined)
        return entry?.isDirectory() === false ? [join(real, basename(file))] : []
      }),
    )
    return found.flat()
  } finally {
    await handle.close()
  }
}

/**
 * Returns the files that are really inside the working directory. A pattern may contain a link to another directory, and a link may have replaced
 * a directory during the search.
 */
const confinedOnly = async (files: readonly string[], context: ToolContext): Promise<readonly string[]> => {
  const kept: string[] = []
  // One directory after another: each needs a file descriptor.
  for (const [directory, entries] of Map.groupBy(files, (file) => dirname(file))) {
    kept.push(...(await existingIn(directory, entries, context).catch(() => [])))
    context.signal.throwIfAborted()
  }
  return kept
}

/** Returns the directories that are never searched, relative to the start of the search. */
const hiddenBelow = (base: string, context: ToolContext): readonly string[] =>
  hiddenDirectories(context).flatMap((path) => (isInside(base, path) ? [relative(base, path)] : []))

const execute = async (input: GlobInput, context: ToolContext): Promise<ToolResult> => {
  const base = await confinePath(input.path ?? ".", context, "search")
  if (!(await stat(base.real)).isDirectory()) throw new ToolFailure(`${base.shown} is a file; give a directory as path`)
  const pattern = relativePattern(input.pattern, base.real)
  const ignored = defaultIgnored.filter((name) => !pattern.split("/").includes(name))
  const job = {
    kind: "files",
    pattern,
    cwd: base.real,
    ignore: [
      ...[...ignored, dataDirName].map((name) => `**/${escapePath(name)}/**`),
      ...hiddenBelow(base.real, context).map((path) => `${escapePath(path)}/**`),
    ],
  } as const
  const found = await runInThread(job, context)
  const sorted = await newestFirst(await confinedOnly(found, context))
  if (sorted.length === 0) return { content: `No files match ${input.pattern}.` }
  const cwd = await realpath(context.cwd)
  const lines = sorted.slice(0, maxFiles).map((file) => relative(cwd, join(file)))
  const rest = sorted.length - lines.length
  return {
    content:
      rest === 0
        ? lines.join("\n")
        : `${lines.join("\n")}\n\n[${rest} more files match; narrow the pattern or the path.]`,
  }
}

export const glob = defineTool<GlobInput>({
  name: "Glob",
  description: `Finds files by name with a glob pattern, for example "**/*.ts", "src/**/test-*.{js,ts}" or "*.md" (which matches only in the directory itself).
- Returns paths relative to the working directory, most recently changed first, at most ${maxFiles}.
- Hidden and ignored files are included; node_modules and .git are left out unless the pattern names them.
- Links to directories are not followed.
To search in files, use Grep.`,
  input: globInputSchema,
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: answeringFailures(execute),
})
