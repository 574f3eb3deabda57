import { createHash } from "node:crypto"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import type { CassettePrint } from "../../contracts/config/cassette.ts"
import type { AssistantPart, Message } from "../../contracts/message.ts"
import { hasMedia } from "../../domain/media/model-messages.ts"
import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import { withoutChanges, withoutSurroundings, workingDirectoryOf } from "../../domain/prompts/surroundings.ts"
import { withoutDirectory } from "../../domain/replay/recorded-directory.ts"
import { isOwnTool } from "../../domain/tools/tool-names.ts"
import { messageText } from "../../domain/transcript/last-text.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { visible } from "../../domain/text/visible.ts"
import type { ModelRequest } from "../model-provider.ts"

const shownCharacters = 160

/** The parts of a request as a cassette compares them. */
export interface RequestPrint {
  readonly system: CassettePrint
  readonly tools: CassettePrint
  readonly messages: readonly CassettePrint[]
  /** The hash of all messages. */
  readonly all: string
}

/** What does not count in a request, and what must not be shown of it. */
interface Printing {
  readonly cwd: string | undefined
  readonly redact: Redact
}

const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex")

const printOf = (value: unknown, shows: string, { cwd, redact }: Printing): CassettePrint => ({
  sha256: sha256Of(canonicalJson(withoutDirectory(value, cwd))),
  shows: visible(withoutDirectory(redact(shows), cwd).replaceAll(/\s+/g, " ")).slice(0, shownCharacters),
})

const comparablePart = (part: AssistantPart): readonly unknown[] => {
  switch (part.type) {
    case "text":
      return [part.text]
    case "tool_call":
      return [{ name: part.call.name, arguments: part.call.arguments ?? part.call.raw_arguments }]
    case "reasoning":
    case "opaque":
      return []
  }
}

/** Returns what a message says, without ids, usage and what depends on the provider. */
const comparable = (message: Message): unknown => {
  switch (message.role) {
    case "user":
      return { role: "user", source: message.source, text: withoutChanges(message.text) }
    case "assistant":
      return { role: "assistant", parts: message.parts.flatMap(comparablePart) }
    case "tool":
      return {
        role: "tool",
        name: message.name,
        outcome: message.outcome,
        content: message.content,
        ...(hasMedia(message) ? { media: message.media.map(({ sha256 }) => sha256) } : {}),
      }
  }
}

const labelOf = (message: Message): string => {
  switch (message.role) {
    case "user":
      return message.source
    case "assistant":
      return "answer"
    case "tool":
      return `${message.name} ${message.outcome}`
  }
}

const calledNames = (message: Message): string =>
  toolCallsOf(message)
    .map(({ name }) => ` ${name}()`)
    .join("")

/** What tools read is not in a recording, not even its beginning. */
const shownOf = (message: Message): string =>
  message.role === "tool"
    ? labelOf(message)
    : `${labelOf(message)}: ${withoutChanges(messageText(message))}${calledNames(message)}`

const messagePrint = (message: Message, printing: Printing): CassettePrint =>
  printOf(comparable(message), shownOf(message), printing)

/**
 * Returns the prints of a request's parts. Tools of MCP servers and of embedding programs are left out: what they look like is not recorded. The working
 * directory, the facts about the place, call ids and thinking do not count.
 */
export const requestPrint = (
  { systemPrompt, tools, messages }: Pick<ModelRequest, "systemPrompt" | "tools" | "messages">,
  redact: Redact = (text) => text,
): RequestPrint => {
  const printing = { cwd: workingDirectoryOf(systemPrompt), redact }
  const own = tools.filter(({ name }) => isOwnTool(name))
  const prints = messages.map((message) => messagePrint(message, printing))
  return {
    system: printOf(withoutSurroundings(systemPrompt), "system prompt", printing),
    tools: printOf(own, own.map(({ name }) => name).join(" "), printing),
    messages: prints,
    all: sha256Of(prints.map((print) => print.sha256).join(" ")),
  }
}
