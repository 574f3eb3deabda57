import { realpath, stat } from "node:fs/promises"
import { isAbsolute, join, normalize } from "node:path"
import { grepInputSchema, type GrepInput } from "../../contracts/tool-input.ts"
import { confinePath, hiddenDirectories } from "../files/confined-path.ts"
import { cutOutput } from "../cut-output.ts"
import { grepArguments } from "./grep-arguments.ts"
import { newestFirst } from "./newest-first.ts"
import { ripgrep } from "./ripgrep.ts"
import { defineTool, type ToolContext, type ToolResult } from "../tool.ts"
import { answeringFailures } from "../tool-failure.ts"

const defaultLimit = 250
const timeoutMs = 60_000
const maxSortedFiles = 20_000

const withoutDot = (line: string): string => line.replace(/^\.\//, "")

const limited = (lines: readonly string[], limit: number, more: boolean): string => {
  const text = lines.slice(0, limit).join("\n").replaceAll("\0", "\u2400")
  if (!more && lines.length <= limit) return text
  return `${text}\n\n[Only the first ${limit} are shown. Narrow the search, or increase head_limit.]`
}

const search = async (input: GrepInput, context: ToolContext): Promise<string> => {
  const path = await confinePath(input.path ?? ".", context, "search")
  await stat(path.real)
  const cwd = await realpath(context.cwd)
  const limit = input.head_limit ?? defaultLimit
  const byFile = (input.output_mode ?? "files_with_matches") === "files_with_matches"
  const target = isAbsolute(path.shown) || path.shown === "." ? path.shown : `./${path.shown}`
  const args = grepArguments(input, { cwd, target, hidden: hiddenDirectories({ ...context, cwd }) })
  const found = await ripgrep({
    args,
    cwd,
    signal: context.signal,
    timeoutMs,
    maxLines: byFile ? maxSortedFiles : limit,
  })
  const lines = found.lines.map(withoutDot)
  if (lines.length === 0) return ""
  if (!byFile) return limited(lines, limit, found.more)
  const sorted = await newestFirst(lines.map((line) => join(cwd, line)))
  return limited(
    sorted.map((file) => normalize(file).slice(cwd.length + 1)),
    limit,
    found.more,
  )
}

const execute = async (input: GrepInput, context: ToolContext): Promise<ToolResult> => {
  const text = await search(input, context)
  if (text === "") return { content: `No matches for ${input.pattern}.` }
  return { content: await cutOutput(text, { spillDir: context.spillDir, name: "grep" }) }
}

export const grep = defineTool<GrepInput>({
  name: "Grep",
  description: `Searches files with a regular expression (ripgrep's syntax: escape literal braces and parentheses, as in "interface\\{\\}").
- output_mode: files_with_matches (default) returns paths, most recently changed first; content returns lines as path:line:text, with context lines if requested; count returns the number of matches per file.
- Narrow with path (file or directory) and glob (for example "*.ts" or "src/**/*.py"). Files that .gitignore excludes, .git and binary files are not searched; hidden files are.
- Patterns match within a line unless multiline is set. ignore_case ignores case.
- Returns at most ${defaultLimit} lines or files, or head_limit. Paths are relative to the working directory.
Use it instead of grep or rg in Bash.`,
  input: grepInputSchema,
  idempotent: true,
  readOnly: true,
  execute: answeringFailures(execute),
})
