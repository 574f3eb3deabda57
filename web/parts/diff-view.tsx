import { useMemo, useState } from "preact/hooks"

interface Line {
  readonly kind: "ins" | "del" | "same" | "head"
  readonly text: string
  readonly before?: number
  readonly after?: number
}

/** Reads the lines of a unified diff, with their numbers where its headers tell them. */
export const readDiff = (diff: string): readonly Line[] => {
  let before: number | undefined
  let after: number | undefined
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((text, index): Line => {
      const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? []
      if (from !== undefined && to !== undefined) {
        before = Number(from)
        after = Number(to)
        return { kind: "head", text }
      }
      // The names of the files stand before the first hunk only: later, such a line is content.
      if (before === undefined && index < 2 && /^(?:---|\+\+\+) /.test(text)) return { kind: "head", text }
      if (text.startsWith("+")) return { kind: "ins", text, ...(after === undefined ? {} : { after: after++ }) }
      if (text.startsWith("-")) return { kind: "del", text, ...(before === undefined ? {} : { before: before++ }) }
      if (before === undefined || after === undefined || text.startsWith("\\")) return { kind: "same", text }
      return { kind: "same", text, before: before++, after: after++ }
    })
}

const tags = { ins: "ins", del: "del", same: "span", head: "b" } as const

const LineView = ({ line: { kind, text, before, after }, hasNumbers }: { line: Line; hasNumbers: boolean }) => {
  const Tag = tags[kind]
  return (
    <div class={`line ${kind}`}>
      {hasNumbers && <span class="number" aria-hidden="true" data-before={before ?? ""} data-after={after ?? ""} />}
      <Tag>{text}</Tag>
    </div>
  )
}

const firstLines = 400
/** As many as a browser draws at once without a pause. */
const nextLines = 5_000

/** A unified diff: text, never markup. Long ones are opened by hand, part by part. */
export const DiffView = ({
  diff,
  label,
  isOpened = false,
}: {
  readonly diff: string
  readonly label: string
  /** Somebody has asked for the whole. */
  readonly isOpened?: boolean
}) => {
  const [opened, setOpened] = useState(0)
  const lines = useMemo(() => readDiff(diff), [diff])
  const most = Math.max(opened, isOpened ? nextLines : firstLines)
  const shown = lines.slice(0, most)
  const left = lines.length - shown.length
  const hasNumbers = lines.some(({ before, after }) => before !== undefined || after !== undefined)
  return (
    <>
      <pre class="diff" tabIndex={0} role="group" aria-label={`Changes: ${label}`}>
        {shown.map((line, index) => (
          <LineView key={index} line={line} hasNumbers={hasNumbers} />
        ))}
      </pre>
      {left > 0 && (
        <button class="link" onClick={() => setOpened(most + nextLines)}>
          {left <= nextLines ? `Show the other ${left} lines` : `Show ${nextLines} of the other ${left} lines`} of{" "}
          {label}
        </button>
      )}
    </>
  )
}
