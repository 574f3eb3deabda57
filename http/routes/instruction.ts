import type { SendMessageBody, StartRunBody } from "../../contracts/http/send-message.ts"

type MessageInput = NonNullable<StartRunBody["message"]>

const inputText = (input: MessageInput): string => (typeof input === "string" ? input : input.content)

/** Returns the texts of a message as one. */
export const joinedTexts = ({ message, messages }: Pick<SendMessageBody, "message" | "messages">): string =>
  (messages ?? (message === undefined ? [] : [message])).map(inputText).join("\n\n")
