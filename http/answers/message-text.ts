import type { SendMessageBody } from "../../contracts/http/send-message.ts"

type Input = NonNullable<SendMessageBody["message"]>

const textOf = (input: Input): string => (typeof input === "string" ? input : input.content)

/** One text for the model: the named pieces of context, then the task. */
export const messageText = ({ message, messages, context = [] }: SendMessageBody): string => {
  const inputs = messages ?? (message === undefined ? [] : [message])
  const task = inputs.map(textOf).join("\n\n")
  if (context.length === 0) return task
  const pieces = context.map(({ name, content }) => `=== CONTEXT: ${name} ===\n${content}`)
  return [...pieces, `=== YOUR TASK ===\n${task}`].join("\n\n")
}
