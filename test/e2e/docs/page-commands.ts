/** Commands that a page shows, in one piece. */
export interface PageCommands {
  /** Line of the page, counted from 1. */
  readonly line: number
  readonly code: string
  /** What the page shows as their output; undefined if it shows none. */
  readonly output: string | undefined
}

interface Fence {
  readonly line: number
  readonly language: string
  readonly text: string
  /** What is between the end of the fence before and this one. */
  readonly before: string
}

const fencesOf = (page: string): readonly Fence[] => {
  const fences: Fence[] = []
  let end = 0
  for (const match of page.matchAll(/^```(\w*)[^\n]*\n([^]*?)^```$/gm)) {
    const line = page.slice(0, match.index).split("\n").length + 1
    fences.push({ line, language: match[1] ?? "", text: match[2] ?? "", before: page.slice(end, match.index) })
    end = match.index + match[0].length
  }
  return fences
}

/** Returns the commands of a recorded terminal: lines after `$`, each followed by its output. */
const recordedIn = ({ line, text }: Fence): readonly PageCommands[] =>
  [...text.matchAll(/^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm)].map((match) => ({
    line: line + text.slice(0, match.index).split("\n").length - 1,
    code: `${match[1] ?? ""}\n`,
    output: (match[2] ?? "").trimEnd(),
  }))

/**
 * Returns the commands of a page in their order: the `sh` blocks, with the output that a `text` block directly below one shows, and the recorded
 * terminals.
 */
export const commandsOf = (page: string): readonly PageCommands[] => {
  const fences = fencesOf(page)
  return fences.flatMap((fence, index) => {
    if (fence.language !== "sh") return recordedIn(fence)
    const next = fences[index + 1]
    const isShown = next?.language === "text" && next.before.trim() === ""
    return [{ line: fence.line, code: fence.text, output: isShown ? next.text.trimEnd() : undefined }]
  })
}

/** A command of an `sh` block that is not run, with the reason. */
export interface Exception {
  readonly page: string
  /** The whole command on one line, without its comment. */
  readonly command: string
  readonly reason: string
}

/** Returns the lines of a block; a command that is continued on the next line is one. */
const linesOf = (code: string): readonly string[] => code.split(/(?<!\\)\n/)

const plainCommand = (line: string): string =>
  line
    .replaceAll(/\s*\\\n\s*/g, " ")
    .replace(/\s+#.*$/, "")
    .trim()

/** Returns the exceptions whose command is not in the page's `sh` blocks. */
export const unusedExceptions = (
  exceptions: readonly Exception[],
  commands: (page: string) => readonly PageCommands[],
): readonly Exception[] =>
  exceptions.filter(
    ({ page, command }) =>
      !commands(page).some(({ code }) => linesOf(code).some((line) => plainCommand(line) === command)),
  )

/** Returns the commands without the excepted lines; a block without any other line is left out. */
export const withoutExceptions = (
  commands: readonly PageCommands[],
  exceptions: readonly Exception[],
): readonly PageCommands[] =>
  commands.flatMap((block) => {
    const code = linesOf(block.code)
      .filter((line) => !exceptions.some(({ command }) => command === plainCommand(line)))
      .join("\n")
    return code.trim() === "" ? [] : [{ ...block, code }]
  })

/** Ids that differ from run to run, in the places where output shows them. */
const ids = /\bcp_[\w-]+|(?<=\b[Tt]ask )[a-z0-9]{6,12}\b(?= is )/g

/** Returns a text with what differs from run to run replaced: ids, addresses, durations. */
export const comparable = (output: string): string =>
  output
    .trimEnd()
    .replaceAll(ids, "<id>")
    .replaceAll(/\b127\.0\.0\.1:\d+/g, "<address>")
    .replaceAll(/\b\d+(?:\.\d+)?(?:ms|s|m|h)\b/g, "<duration>")

/** Returns the ids of a recorded output, each with the one that took its place in this run. */
export const idsInstead = (recorded: string, printed: string): ReadonlyMap<string, string> => {
  const actual = printed.match(ids) ?? []
  return new Map((recorded.match(ids) ?? []).map((id, index) => [id, actual[index] ?? id]))
}
