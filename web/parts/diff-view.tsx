import { useMemo, useState } from "preact/hooks"
import { type DiffLine, diffLines } from "../../domain/preview/diff-lines.ts"
import { changedWords } from "../shown/changed-words.ts"
import { type ColouredPart, colouredLines, withChanges } from "../shown/coloured-lines.ts"
import { sideBySide } from "../shown/side-by-side.ts"
import { keptFlag } from "../state/kept.ts"

const tags = { ins: "ins", del: "del", same: "span", head: "b", file: "b" } as const

/** Whether people see a change side by side, where the screen is wide enough. */
const isWide = keptFlag("wide")

const PartView = ({ part: { text, colour, isChanged } }: { readonly part: ColouredPart }) => {
  const inner = colour === undefined ? text : <span class={colour}>{text}</span>
  return isChanged === true ? <mark>{inner}</mark> : <>{inner}</>
}

interface LineProps {
  readonly line: DiffLine
  /** With colours, or with what changed in the line; without its sign. */
  readonly parts: readonly ColouredPart[] | undefined
  readonly numbers: "both" | "before" | "after" | "none"
}

const LineView = ({ line: { kind, text, before, after }, parts, numbers }: LineProps) => {
  const Tag = tags[kind]
  const shown = {
    ...(numbers === "after" ? {} : { "data-before": before ?? "" }),
    ...(numbers === "before" ? {} : { "data-after": after ?? "" }),
  }
  return (
    <div class={`line ${kind}`}>
      {numbers !== "none" && <span class="number" aria-hidden="true" {...shown} />}
      <Tag>
        {parts === undefined ? text : text.slice(0, 1)}
        {parts?.map((part, index) => (
          <PartView key={index} part={part} />
        ))}
      </Tag>
    </div>
  )
}

const firstLines = 400
/** So many lines a browser draws at once without a noticeable pause. */
const nextLines = 5_000

/** Returns the parts of each line that has colours or changed words. */
const partsOf = (
  lines: readonly DiffLine[],
  file: string | undefined,
): ReadonlyMap<number, readonly ColouredPart[]> => {
  const words = changedWords(lines)
  const colours = colouredLines(lines, file)
  return new Map(
    [...new Set([...words.keys(), ...colours.keys()])].map((index) => {
      const changed = words.get(index)
      const coloured = colours.get(index) ?? [{ text: lines[index]?.text.slice(1) ?? "" }]
      return [index, changed === undefined ? coloured : withChanges(coloured, changed)]
    }),
  )
}

type Drawn = Readonly<Record<"lines", readonly DiffLine[]>> & {
  readonly parts: ReadonlyMap<number, readonly ColouredPart[]>
  readonly hasNumbers: boolean
}

const Narrow = ({ lines, parts, hasNumbers }: Drawn) => (
  <>
    {lines.map((line, index) => (
      <LineView key={index} line={line} parts={parts.get(index)} numbers={hasNumbers ? "both" : "none"} />
    ))}
  </>
)

const Wide = ({ lines, parts, hasNumbers }: Drawn) => {
  const side = (index: number | undefined, numbers: "before" | "after") => {
    const line = index === undefined ? undefined : lines[index]
    if (line === undefined) return <div class="line none" />
    return <LineView line={line} parts={parts.get(index ?? 0)} numbers={hasNumbers ? numbers : "none"} />
  }
  return (
    <>
      {sideBySide(lines).map(({ left, right }, row) => {
        const kind = left === right && left !== undefined ? lines[left]?.kind : undefined
        const isHead = kind === "head" || kind === "file"
        return (
          <div key={row} class={isHead ? "row whole" : "row"}>
            {side(left, "before")}
            {!isHead && side(right, "after")}
          </div>
        )
      })}
    </>
  )
}

/** A unified diff: text, never markup. Long ones are opened by hand, part by part. */
export const DiffView = ({
  diff,
  label,
  file,
  isOpened = false,
}: {
  readonly diff: string
  readonly label: string
  /** The file whose language the lines have. */
  readonly file?: string | undefined
  /** Somebody has asked for the whole. */
  readonly isOpened?: boolean
}) => {
  const [opened, setOpened] = useState(0)
  const lines = useMemo(() => diffLines(diff), [diff])
  const parts = useMemo(() => partsOf(lines, file), [lines, file])
  const most = Math.max(opened, isOpened ? nextLines : firstLines)
  const shown = lines.slice(0, most)
  const left = lines.length - shown.length
  const hasNumbers = lines.some(({ before, after }) => before !== undefined || after !== undefined)
  const Lines = isWide.value && hasNumbers ? Wide : Narrow
  return (
    <>
      {hasNumbers && (
        <label class="wide-choice">
          <input
            type="checkbox"
            checked={isWide.value}
            aria-label={`Side by side: ${label}`}
            onChange={(event) => (isWide.value = event.currentTarget.checked)}
          />{" "}
          side by side
        </label>
      )}
      <pre
        class={isWide.value && hasNumbers ? "diff wide" : "diff"}
        tabIndex={0}
        role="group"
        aria-label={`Changes: ${label}`}
      >
        <Lines lines={shown} parts={parts} hasNumbers={hasNumbers} />
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
