/** One line of a hunk: it stays, goes or comes. */
export interface HunkLine {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

/** A place in a file, and what becomes of its lines. */
export interface Hunk {
  /** Lines that come before it in the file, each after the one before, such as the heads of a class and a method. */
  readonly anchors: readonly string[]
  readonly lines: readonly HunkLine[]
  /** Whether its lines are the last ones of the file. */
  readonly atEnd: boolean
}

export type FilePatch =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] }

type Parsed<Value> = Value | { readonly problem: string }

const [begin, end, endOfFile] = ["*** Begin Patch", "*** End Patch", "*** End of File"]
const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const mover = /^\*\*\* Move to: (.+)$/

/** Returns the lines between the first and the last marker: what is around them, such as the shell's `<<EOF`, belongs to no file. */
const bodyOf = (patch: string): Parsed<readonly string[]> => {
  const lines = patch.replaceAll("\r\n", "\n").split("\n")
  const first = lines.findIndex((line) => line.trim() === begin)
  if (first === -1) return { problem: `the patch has no line "${begin}"` }
  const last = lines.findLastIndex((line) => line.trim() === end)
  return last > first
    ? lines.slice(first + 1, last)
    : { problem: `the patch has no line "${end}", so it may be cut off: send all of it` }
}

const withoutBlankEnd = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1)

const addedFile = (path: string, lines: readonly string[]): Parsed<FilePatch> => {
  const content = withoutBlankEnd(lines)
  const wrong = content.find((line) => line !== "" && !line.startsWith("+"))
  if (wrong !== undefined) return { problem: `a line of the new file ${path} does not begin with +: ${wrong}` }
  return { kind: "add", path, text: content.map((line) => `${line.slice(1)}\n`).join("") }
}

const signOf = (line: string): HunkLine["sign"] | undefined => {
  const [sign] = line
  return sign === " " || sign === "-" || sign === "+" ? sign : undefined
}

/** A hunk as it is read: `isOpen` until its first line, where a further `@@` is one more anchor. */
interface Reading {
  readonly anchors: string[]
  readonly lines: HunkLine[]
  atEnd: boolean
}

const hunksOf = (path: string, lines: readonly string[]): Parsed<readonly Hunk[]> => {
  const hunks: Reading[] = []
  for (const line of lines) {
    const last = hunks.at(-1)
    if (line.startsWith("@@")) {
      const anchor = line.slice(2).trim().replace(/@@$/, "").trim()
      // The line numbers of a unified diff name no line of the file.
      const anchors = anchor === "" || /^-\d+(,\d+)? \+\d+/.test(anchor) ? [] : [anchor]
      if (last?.lines.length === 0) last.anchors.push(...anchors)
      else hunks.push({ anchors, lines: [], atEnd: false })
    } else if (line.trim() === endOfFile) {
      if (last !== undefined) last.atEnd = true
    } else {
      const sign = line === "" ? " " : signOf(line)
      if (sign === undefined)
        return { problem: `a line of the change of ${path} begins neither with a space nor with -, + or @@: ${line}` }
      const hunk = last === undefined || last.atEnd ? { anchors: [], lines: [], atEnd: false } : last
      if (hunk !== last) hunks.push(hunk)
      hunk.lines.push({ sign, text: line.slice(1) })
    }
  }
  const isEmpty = hunks.some((hunk) => !hunk.lines.some(({ sign }) => sign !== " "))
  return isEmpty ? { problem: `a hunk of the change of ${path} has no line with - or +` } : hunks
}

const updatedFile = (path: string, lines: readonly string[]): Parsed<FilePatch> => {
  const moveTo = mover.exec(lines[0] ?? "")?.[1]?.trim()
  const hunks = hunksOf(path, withoutBlankEnd(moveTo === undefined ? lines : lines.slice(1)))
  if ("problem" in hunks) return hunks
  if (moveTo === undefined)
    return hunks.length === 0 ? { problem: `the change of ${path} is empty` } : { kind: "update", path, hunks }
  return { kind: "update", path, moveTo, hunks }
}

const patchedFile = ([head = "", ...lines]: readonly string[]): Parsed<FilePatch> => {
  const [, kind, name = ""] = header.exec(head) ?? []
  const path = name.trim()
  if (kind === "Add") return addedFile(path, lines)
  if (kind === "Update") return updatedFile(path, lines)
  return withoutBlankEnd(lines).length === 0
    ? { kind: "delete", path }
    : { problem: `the deletion of ${path} is followed by lines that belong to no file` }
}

const sectionsOf = (lines: readonly string[]): Parsed<readonly (readonly string[])[]> => {
  const sections: string[][] = []
  for (const line of lines) {
    const isHeader = header.test(line)
    if (isHeader) sections.push([line])
    else if (line.startsWith("*** ") && !mover.test(line) && line.trim() !== endOfFile)
      return { problem: `the patch has a line that is not known: ${line}` }
    else if (sections.length > 0) sections.at(-1)?.push(line)
    else if (line.trim() !== "") return { problem: `the patch has lines before the first file: ${line}` }
  }
  return sections.length === 0 ? { problem: "the patch names no file" } : sections
}

/** Returns the paths of all files that a change reads, writes or removes. */
export const pathsOf = (file: FilePatch): readonly string[] =>
  file.kind === "update" && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path]

/** Reads a patch in the format between `*** Begin Patch` and `*** End Patch`. Returns why it is none, or what it does with each file. */
export const parsePatch = (patch: string): Parsed<{ readonly files: readonly FilePatch[] }> => {
  const body = bodyOf(patch)
  if ("problem" in body) return body
  const sections = sectionsOf(body)
  if ("problem" in sections) return sections
  const files: FilePatch[] = []
  for (const section of sections) {
    const file = patchedFile(section)
    if ("problem" in file) return file
    files.push(file)
  }
  const paths = files.flatMap(pathsOf)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  return twice === undefined
    ? { files }
    : { problem: `the patch names ${twice} twice: put all hunks of a file together` }
}
