import type { FileHandle } from "node:fs/promises"
import type { GrepInput } from "../../contracts/tool-input.ts"
import { type ConfinedPath, openFile } from "../disk/open-confined.ts"
import { fileArguments } from "./grep-arguments.ts"
import { inheritedFile, nameInherited, ripgrep, type RipgrepLines, type RipgrepOptions } from "./ripgrep.ts"

/** How many files are open at a time. */
const batchSize = 64

interface OpenedFile {
  readonly name: string
  readonly handle: FileHandle
}

/** How files are searched, without what is searched for. */
export type SearchLimits = Pick<RipgrepOptions, "cwd" | "signal" | "timeoutMs" | "maxLines">

const searchOpened = async (
  opened: readonly OpenedFile[],
  input: GrepInput,
  search: SearchLimits,
): Promise<RipgrepLines> => {
  if (opened.length === 0) return { lines: [], more: false }
  const args = fileArguments(
    input,
    opened.map((_, index) => inheritedFile(index)),
  )
  const found = await ripgrep({ ...search, args, files: opened.map(({ handle }) => handle) })
  const names = opened.map(({ name }) => name)
  return { ...found, lines: found.lines.map((line) => nameInherited(line, names)) }
}

/** Searches one file. @throws ToolFailure if it is not a regular file */
export const searchFile = async (file: ConfinedPath, input: GrepInput, search: SearchLimits): Promise<RipgrepLines> => {
  const handle = await openFile(file)
  try {
    return await searchOpened([{ name: file.shown, handle }], input, search)
  } finally {
    await handle.close()
  }
}

const searchBatch = async (
  files: readonly ConfinedPath[],
  input: GrepInput,
  search: SearchLimits,
): Promise<RipgrepLines> => {
  const opened = await Promise.all(
    files.map(async (file) =>
      openFile(file)
        .then((handle) => [{ name: file.shown, handle }])
        .catch(() => []),
    ),
  )
  try {
    return await searchOpened(opened.flat(), input, search)
  } finally {
    await Promise.all(opened.flat().map(({ handle }) => handle.close()))
  }
}

/**
 * Searches files through their handles, each opened only if it still is the file that its path names: a link that replaces a part of a path
 * meanwhile cannot redirect the search. Other files are left out.
 */
export const searchFiles = async (
  files: readonly ConfinedPath[],
  input: GrepInput,
  search: SearchLimits,
): Promise<RipgrepLines> => {
  const lines: string[] = []
  for (let start = 0; start < files.length; start += batchSize) {
    const batch = files.slice(start, start + batchSize)
    const found = await searchBatch(batch, input, { ...search, maxLines: search.maxLines - lines.length })
    lines.push(...found.lines)
    const isFull = lines.length >= search.maxLines
    if (found.more || (isFull && start + batchSize < files.length)) return { lines, more: true }
  }
  return { lines, more: false }
}
