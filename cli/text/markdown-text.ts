import type { Paint } from "../terminal/paint.ts"

const paintedSpans = (line: string, paint: Paint): string =>
  line
    .replaceAll(/`[^`\n]+`/g, (code) => paint.cyan(code))
    .replaceAll(/(?<![\w*])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![\w*])/g, (_, text: string) => paint.bold(text))

/** Returns Markdown in the colours of a terminal: headings and strong words are bold, and code is cyan. Without colours it is unchanged. */
export const paintedMarkdown = (text: string, paint: Paint): string => {
  if (paint.bold("x") === "x") return text
  let fence: string | undefined
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1]
      const isFence = mark !== undefined && (fence === undefined || mark.startsWith(fence))
      if (isFence) {
        fence = fence === undefined ? mark : undefined
        return paint.dim(line)
      }
      if (fence !== undefined) return paint.cyan(line)
      return /^#{1,6} /.test(line) ? paint.bold(line) : paintedSpans(line, paint)
    })
    .join("\n")
}
