import { useMemo, useState } from "preact/hooks"
import { changedWords, type LinePart } from "../shown/changed-words.ts"
import { type DiffLine, diffLines } from "../../domain/preview/diff-lines.ts"

const tags = { ins: "ins", del: "del", same: "span", head: "b", file: "b" } as const

const LineView = ({
  line: { kind, text, before, after },
  parts,
  hasNumbers,
}: {
  readonly line: DiffLine
  /** Of a line that replaces another, or is replaced. */
  readonly parts: readonly LinePart[] | undefined
  readonly hasNumbers: boolean
}) => {
  const Tag = tags[kind]
  return (
    <div class={`line ${kind}`}>
      {hasNumbers && <span class="number" aria-hidden="true" data-before={before ?? ""} data-after={after ?? ""} />}
      <Tag>
        {parts === undefined ? text : text.slice(0, 1)}
        {parts?.map((part, index) => (part.isChanged ? <mark key={index}>{part.text}</mark> : part.text))}
      </Tag>
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
  const lines = useMemo(() => diffLines(diff), [diff])
  const words = useMemo(() => changedWords(lines), [lines])
  const most = Math.max(opened, isOpened ? nextLines : firstLines)
  const shown = lines.slice(0, most)
  const left = lines.length - shown.length
  const hasNumbers = lines.some(({ before, after }) => before !== undefined || after !== undefined)
  return (
    <>
      <pre class="diff" tabIndex={0} role="group" aria-label={`Changes: ${label}`}>
        {shown.map((line, index) => (
          <LineView key={index} line={line} parts={words.get(index)} hasNumbers={hasNumbers} />
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
