import MarkdownIt from "markdown-it"
import type { InboundCommand } from "./inbound-command.ts"

/** GitHub's Markdown, as far as blocks go: HTML is recognized, and no inline text is read. */
const markdown = new MarkdownIt({ html: true })
markdown.core.ruler.enableOnly(["normalize", "block"])

type Blocks = ReturnType<typeof markdown.parse>

const decisionLine = /^\/(approve|reject)[ \t]+([A-Za-z0-9_-]{1,200})((?:[ \t,]+[A-Za-z0-9_/-]{1,300})*)[ \t]*$/
const answerLine = /^\/answer[ \t]+([A-Za-z0-9_-]{1,200})[ \t]+(\S.*)$/
const reasonMark = /[ \t]--(?:[ \t]|$)/

/** A checkpoint, as the activity that opens a pause creates it. */
const checkpoint = /^cp_[A-Za-z0-9_-]{10,200}$/

/** Returns the numbers of the lines that are blank or quoted, a quotation's lazy continuation included. */
const quietLines = (lines: readonly string[], blocks: Blocks): ReadonlySet<number> =>
  new Set([
    ...lines.flatMap((line, number) => (/^[ \t]*$/.test(line) ? [number] : [])),
    ...blocks.flatMap(({ type, level, map }) =>
      type === "blockquote_open" && level === 0 && map !== null
        ? Array.from({ length: map[1] - map[0] }, (_, offset) => map[0] + offset)
        : [],
    ),
  ])

/** Returns the first line that is neither blank nor quoted, if a top-level paragraph begins with it. */
const firstLine = (body: string): string | undefined => {
  const lines = body.split(/\r\n?|\n/)
  if (!lines.some((line) => line.startsWith("/"))) return undefined
  const blocks = markdown.parse(body, {})
  const quiet = quietLines(lines, blocks)
  const number = lines.findIndex((_, each) => !quiet.has(each))
  const begins = blocks.some(({ type, level, map }) => type === "paragraph_open" && level === 0 && map?.[0] === number)
  return begins ? lines[number] : undefined
}

const targetOf = (id: string) => (checkpoint.test(id) ? { checkpointId: id } : { taskId: id })

/**
 * Returns the command of a comment: `/approve <id> [call ids]`, `/reject <id> [call ids] [-- reason]` or `/answer <id> <text>`, where the id is that of
 * a task or of a checkpoint. Only the first line that is neither blank nor quoted counts, if GitHub shows it at the start of a paragraph of its own.
 */
export const commandOf = (body: string): InboundCommand | undefined => {
  const line = firstLine(body)
  if (line === undefined) return undefined
  const [, answered = "", text = ""] = answerLine.exec(line) ?? []
  if (answered !== "") return { kind: "input", ...targetOf(answered), text: text.trimEnd() }
  const [command = "", ...reasons] = line.split(reasonMark)
  const [, kind, id = "", rest = ""] = decisionLine.exec(command) ?? []
  if ((kind !== "approve" && kind !== "reject") || (kind === "approve" && reasons.length > 0)) return undefined
  const named = rest.split(/[\s,]+/).filter((each) => each !== "")
  const callIds = named.length === 0 || (named.length === 1 && named[0] === "all") ? "all" : named
  const reason = line.slice(command.length).replace(reasonMark, "").trim()
  return { kind, ...targetOf(id), callIds, ...(reason === "" ? {} : { reason }) }
}
