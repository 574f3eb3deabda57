import { visible } from "../text/visible.ts"

/** The argument of a tool that people edit as a text: the new content, the new text, the command. */
const textArguments: ReadonlyMap<string, string> = new Map([
  ["Write", "content"],
  ["Edit", "new_string"],
  ["Bash", "command"],
])

/** A text among the arguments of a call, with the line breaks that it has. */
export interface EditedText {
  /** The argument. */
  readonly name: string
  readonly text: string
}

/** Returns the text that a person edits of a call; undefined if it has none, or if the text has characters that nobody sees: those are edited as JSON. */
export const editedTextOf = (call: {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}): EditedText | undefined => {
  const name = textArguments.get(call.name)
  const text = name === undefined ? undefined : call.arguments[name]
  if (name === undefined || typeof text !== "string" || visible(text) !== text) return undefined
  return { name, text }
}

/** Returns the arguments with another text. A line break that an editor added at the end is not part of it. */
export const withEditedText = (
  args: Readonly<Record<string, unknown>>,
  { name, text: before }: EditedText,
  text: string,
): Record<string, unknown> => ({
  ...args,
  [name]: text.endsWith("\n") && !before.endsWith("\n") ? text.slice(0, -1) : text,
})
