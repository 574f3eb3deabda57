import type { ToolCall } from "../../contracts/message.ts"
import { cutText } from "../text/bound-for-history.ts"
import { isRecord } from "../text/is-record.ts"

const opening = "A person approved this call with other arguments, and it was executed with these: "
const maxArguments = 4_000

/** What a person decided about a call, as far as its result says it. */
export interface ApprovedAs {
  readonly isEdited?: boolean
  readonly note?: string
}

/** Returns a result as the model reads it: one of an edited call says first what was executed, and last comes what the approver says about the call. */
export const withEditNote = (
  { isEdited, note }: ApprovedAs,
  call: Pick<ToolCall, "arguments">,
  content: string,
): string => {
  const noted = note === undefined ? content : `${content}\n\nThe person who approved this call says: ${note}`
  return isEdited === true ? `${opening}${cutText(JSON.stringify(call.arguments), maxArguments)}\n\n${noted}` : noted
}

const parsed = (json: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What the result of an edited call says about its execution. */
export interface EditNote {
  /** Undefined if they are too long to be in the result. */
  readonly executed: Readonly<Record<string, unknown>> | undefined
  /** The result without the note. */
  readonly content: string
}

/** Reads what `withEditNote` wrote. Returns undefined for a call that was executed with the arguments that the model proposed. */
export const readEditNote = (content: string): EditNote | undefined => {
  if (!content.startsWith(opening)) return undefined
  const [json = "", ...rest] = content.slice(opening.length).split("\n\n")
  return { executed: parsed(json), content: rest.join("\n\n") }
}
