import { realpath, stat } from "node:fs/promises"
import { join, relative } from "node:path"
import { grepInputSchema, type GrepInput } from "../../contracts/tool-input.ts"
import type { ConfinedPath } from "../disk/open-confined.ts"
import { confinePath, hiddenDirectories } from "../files/confined-path.ts"
import { cutOutput } from "../cut-output.ts"
import { candidateArguments, isByFile } from "./grep-arguments.ts"
import { newestFirst } from "./newest-first.ts"
import { ripgrep, type RipgrepLines } from "./ripgrep.ts"
import { searchFile, searchFiles, type SearchLimits } from "./search-files.ts"
import { defineTool, type ToolContext, type ToolResult } from "../tool.ts"
import { answeringFailures } from "../tool-failure.ts"

const defaultLimit = 250
const timeoutMs = 60_000
const maxSortedFiles = 20_000

const strangeNote =
  "[\ufffd in these lines may replace bytes that are not UTF-8; Read says whether a file contains such bytes.]"

const limited = ({ lines, more }: RipgrepLines, limit: number): string => {
  const text = lines.join("\n").replaceAll("\0", "\u2400")
  return more ? `${text}\n\n[Only the first ${limit} are shown. Narrow the search, or increase head_limit.]` : text
}

/**
 * Searches a directory in two steps: ripgrep finds candidates by their paths, and what is shown is then searched in the opened files. The first
 * step alone could be led elsewhere by a link that replaces a directory during the search.
 */
const searchDirectory = async (
  path: ConfinedPath,
  input: GrepInput,
  { context, search }: { readonly context: ToolContext; readonly search: SearchLimits },
): Promise<RipgrepLines> => {
  const { cwd } = search
  const target = path.shown === "." ? path.shown : `./${path.shown}`
  const args = candidateArguments(input, { cwd, target, hidden: hiddenDirectories({ ...context, cwd }) })
  const maxLines = isByFile(input) ? maxSortedFiles : search.maxLines
  const candidates = await ripgrep({ ...search, args, maxLines })
  const paths = candidates.lines.map((line) => join(cwd, line))
  const ordered = isByFile(input) ? await newestFirst(paths) : paths
  const files = ordered.map((real) => ({ real, shown: relative(cwd, real) }))
  const found = await searchFiles(files, input, search)
  return { lines: found.lines, more: found.more || candidates.more }
}

const search = async (input: GrepInput, context: ToolContext): Promise<string> => {
  const path = await confinePath(input.path ?? ".", context, "search")
  const cwd = await realpath(context.cwd)
  const limit = input.head_limit ?? defaultLimit
  const options = { cwd, signal: context.signal, timeoutMs, maxLines: limit }
  const found = (await stat(path.real)).isDirectory()
    ? await searchDirectory(path, input, { context, search: options })
    : await searchFile(path, input, options)
  return limited(found, limit)
}

const execute = async (input: GrepInput, context: ToolContext): Promise<ToolResult> => {
  const text = await search(input, context)
  if (text === "") return { content: `No matches for ${input.pattern}.` }
  const note = text.includes("\ufffd") ? `\n\n${strangeNote}` : ""
  return { content: await cutOutput(`${text}${note}`, { spillDir: context.spillDir, name: "grep" }) }
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
