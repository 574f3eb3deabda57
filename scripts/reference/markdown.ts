const width = 100

/** Returns a text in lines of at most 100 characters. Code in backticks is never broken; lines after the first are indented. */
export const wrap = (text: string, indent = ""): string => {
  const lines: string[] = []
  let line = ""
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    if (line !== "" && Array.from(`${line} ${word}`).length > width) {
      lines.push(line)
      line = indent + word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line].join("\n")
}

/** Returns an entry of a list. */
export const bullet = (text: string): string => wrap(`- ${text}`, "  ")

export const code = (text: string): string => `\`${text}\``

/** Returns a plain text as Markdown: characters outside of code that Markdown would read are escaped. */
export const escapeText = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll(/[<*\\]/g, "\\$&")))
    .join("")

/** Returns `a, b or c`. */
export const alternatives = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`

export interface Page {
  readonly title: string
  /** Paragraphs, headings and lists, in order. */
  readonly blocks: readonly string[]
}

/** Returns the text of a generated page. */
export const pageText = ({ title, blocks }: Page, source: string): string =>
  [
    `# ${title}`,
    `<!-- Written by scripts/write-reference.ts from ${source}; do not edit. -->`,
    ...blocks.filter((block) => block !== ""),
    "",
  ]
    .join("\n\n")
    .replace(/\n\n$/, "\n")
