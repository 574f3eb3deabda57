import { isRecord } from "../text/is-record.ts"
import { visible } from "../text/visible.ts"

/** A text among the arguments of a call, with the line breaks that it has. */
export interface EditedText {
  /** Where it is in the arguments: `content`, `edits.0.new_string`. */
  readonly path: string
  /** What a person calls it: `content`, `new text 1 of 2`. */
  readonly label: string
  readonly text: string
}

interface EditedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

type Place = Pick<EditedText, "path" | "label">

/** Returns where a call has what people edit as a text: the new content, each new text, the command. */
const placesOf = ({ name, arguments: { edits } }: EditedCall): readonly Place[] => {
  switch (name) {
    case "Write":
      return [{ path: "content", label: "content" }]
    case "Edit":
      return [{ path: "new_string", label: "new text" }]
    case "Bash":
      return [{ path: "command", label: "command" }]
    case "MultiEdit":
      return Array.isArray(edits)
        ? edits.map((_, index) => ({
            path: `edits.${index}.new_string`,
            label: edits.length === 1 ? "new text" : `new text ${index + 1} of ${edits.length}`,
          }))
        : []
    default:
      return []
  }
}

const partOf = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value[Number(key)]
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const textAt = (args: unknown, path: string): string | undefined => {
  const found = path.split(".").reduce(partOf, args)
  return typeof found === "string" ? found : undefined
}

/** Returns the texts that a person edits of a call; none if it has no such text, or if one has characters that nobody sees: those are edited as JSON. */
export const editedTextsOf = (call: EditedCall): readonly EditedText[] => {
  const texts = placesOf(call).flatMap((place) => {
    const text = textAt(call.arguments, place.path)
    return text === undefined || visible(text) !== text ? [] : [{ ...place, text }]
  })
  return texts.length === placesOf(call).length ? texts : []
}

const withTextAt = (value: unknown, [key, ...rest]: readonly string[], text: string): unknown => {
  if (key === undefined) return text
  const own = withTextAt(partOf(value, key), rest, text)
  if (Array.isArray(value)) return value.map((each: unknown, index) => (index === Number(key) ? own : each))
  return { ...(isRecord(value) ? value : {}), [key]: own }
}

/** A text as a person wrote it, and where in the arguments it belongs. */
export interface WrittenText {
  readonly path: string
  readonly text: string
}

/** Returns the arguments with other texts. A line break that an editor added at the end of one is not part of it. */
export const withEditedTexts = (
  args: Readonly<Record<string, unknown>>,
  written: readonly WrittenText[],
): Record<string, unknown> =>
  written.reduce<Record<string, unknown>>(
    (changed, { path, text }) => {
      const isAdded = text.endsWith("\n") && textAt(args, path)?.endsWith("\n") !== true
      const next = withTextAt(changed, path.split("."), isAdded ? text.slice(0, -1) : text)
      return isRecord(next) ? { ...next } : changed
    },
    { ...args },
  )
