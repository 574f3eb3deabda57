import type { WrittenText } from "./written-text.ts"

const withoutCode = (page: string): string =>
  page
    .replaceAll(/^( *)(`{3,}|~{3,})[^]*?^ *\2/gm, (block) => block.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`/g, "…")

/** Replaces every line that is no comment by an empty one. */
const commentsOnly = (text: string): string => text.replaceAll(/^(?:\s*#(?!!)\s?(.*)|.*)$/gm, "$1")

/** Returns the paragraphs of a Markdown page, without code; of another file, the comments that start with `#`. */
export const readPage = (file: string, text: string): readonly WrittenText[] => {
  const isMarkdown = file.endsWith(".md")
  const lines = (isMarkdown ? withoutCode(text) : commentsOnly(text)).split("\n")
  return lines.flatMap((line, at): readonly WrittenText[] => {
    const startsParagraph = line.trim() !== "" && (at === 0 || lines[at - 1]?.trim() === "")
    if (!startsParagraph) return []
    const end = lines.findIndex((other, index) => index > at && other.trim() === "")
    const paragraph = lines.slice(at, end === -1 ? undefined : end).join("\n")
    return [{ file, line: at + 1, kind: isMarkdown ? "page" : "comment", text: paragraph }]
  })
}
