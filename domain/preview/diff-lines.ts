import { visible } from "../text/visible.ts"

/** A line of a unified diff, as people read it. */
export interface DiffLine {
  /** `file`: the name of a file, in a diff of several; `head`: where a hunk begins, or what else is said about a file. */
  readonly kind: "ins" | "del" | "same" | "head" | "file"
  readonly text: string
  /** Its numbers in the file before and after, where the hunk has them. */
  readonly before?: number
  readonly after?: number
}

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)/
const fileHead = /^diff --git (.*)$/

const decoded = (octals: string): string =>
  new TextDecoder().decode(
    new Uint8Array([...octals.matchAll(/\\(\d{3})/g)].map(([, code = ""]) => Number.parseInt(code, 8))),
  )

/** Returns a line with the names that git quotes, such as `"a/\\331\\205.md"`, as they are. */
const withNames = (text: string): string =>
  visible(
    text.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) =>
      quoted.replaceAll(/(?:\\[0-3][0-7]{2})+/g, (octals) => decoded(octals)),
    ),
  )

/** Returns the name of a file of which git names two versions; both, if it is another one after the change. */
const fileName = (names: string): string => {
  const [, name] = /^a\/(.+) b\/\1$/.exec(names) ?? []
  return name ?? names
}

interface Place {
  readonly before: number
  readonly after: number
}

/** Reads the lines of hunks: each advances the place in one of the files, or in both. */
const hunkReader = () => {
  let place: Place | undefined
  const numbered = (kind: "ins" | "del" | "same", text: string): DiffLine => {
    if (place === undefined || text.startsWith("\\")) return { kind, text }
    const { before, after } = place
    place = { before: kind === "ins" ? before : before + 1, after: kind === "del" ? after : after + 1 }
    return { kind, text, ...(kind === "ins" ? {} : { before }), ...(kind === "del" ? {} : { after }) }
  }
  return {
    endFile: (): void => {
      place = undefined
    },
    read: (text: string): DiffLine => {
      const [, before, after] = hunkHead.exec(text) ?? []
      if (before !== undefined && after !== undefined) {
        place = { before: Number(before), after: Number(after) }
        return { kind: "head", text }
      }
      return numbered(text.startsWith("+") ? "ins" : text.startsWith("-") ? "del" : "same", text)
    },
  }
}

/** The names before the first hunk of a file, which are those of its title. */
const isName = (text: string): boolean => text === "" || /^(?:--- |\+\+\+ |index )/.test(text)

/**
 * Reads the lines of a unified diff, of one file or of several. The title of a call names its file: the lines that name it are left out. In a diff of
 * several, each begins with its name. Lines that look like names are content where no hunk proves that they are names.
 */
export const diffLines = (diff: string): readonly DiffLine[] => {
  const texts = diff.replace(/\n$/, "").split("\n")
  const hunks = hunkReader()
  const [first = "", second = "", third = ""] = texts
  let isBeforeHunk = first.startsWith("--- ") && second.startsWith("+++ ") && hunkHead.test(third)
  return texts.flatMap((text): readonly DiffLine[] => {
    const [, names] = fileHead.exec(text) ?? []
    if (names !== undefined) {
      isBeforeHunk = true
      hunks.endFile()
      return [{ kind: "file", text: fileName(withNames(names)) }]
    }
    isBeforeHunk &&= !hunkHead.test(text)
    if (!isBeforeHunk) return [hunks.read(text)]
    return isName(text) ? [] : [{ kind: "head", text: withNames(text) }]
  })
}
