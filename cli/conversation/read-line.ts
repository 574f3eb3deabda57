/** What a person types in a conversation. */
export type ConversationLine =
  | { readonly kind: "nothing" | "quit" | "help" | "list" | "new" }
  | { readonly kind: "open" | "steer" | "say" | "unknown"; readonly text: string }

const plain = ["quit", "help", "list", "new"] as const
const withText = ["open", "steer"] as const

/** Reads a line: a command begins with a slash, and everything else is a message. A path such as `/etc/hosts` is a message, too. */
export const readLine = (typed: string): ConversationLine => {
  const line = typed.trim()
  if (line === "") return { kind: "nothing" }
  const [, name, text = ""] = /^\/([a-z?]+)(?:\s+(.*))?$/s.exec(line) ?? []
  if (name === undefined) return { kind: "say", text: line }
  const command = plain.find((each) => each === name)
  if (command !== undefined && text === "") return { kind: command }
  const about = withText.find((each) => each === name)
  if (about !== undefined && text !== "") return { kind: about, text }
  return name === "?" ? { kind: "help" } : { kind: "unknown", text: line.split(/\s/)[0] ?? line }
}
