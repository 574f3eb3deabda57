import type { ToolCall } from "../../../contracts/message.ts"
import { cutText } from "../../../domain/text/bound-for-history.ts"

const maxArguments = 4_000

/** Returns a result as the model reads it: one of an edited call says first what was executed. */
export const withEditNote = (
  { isEdited }: { readonly isEdited?: boolean },
  call: Pick<ToolCall, "arguments">,
  content: string,
): string =>
  isEdited === true
    ? `A person approved this call with other arguments, and it was executed with these: ${cutText(JSON.stringify(call.arguments), maxArguments)}\n\n${content}`
    : content
