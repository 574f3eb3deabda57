import type { Message } from "../../contracts/message.ts"
import { isLastAnswerNotice } from "../../domain/run/last-answer.ts"
import { ModelError } from "../model-error.ts"
import type { ModelRequest } from "../model-provider.ts"
import type { Script } from "./parse-script.ts"
import { findMismatch } from "./script-expectations.ts"
import type { ScriptedConversation, ScriptedReply } from "./script-schema.ts"

/** A turn of a script. `number` is counted from 1, with repeats. `label` names file, conversation and turn. */
export interface PickedTurn {
  readonly reply: ScriptedReply
  readonly number: number
  readonly label: string
}

/**
 * Returns the turn that answers a request. It depends only on how many answers of this script the transcript contains, so that a retry, a fork or
 * another worker gets the same turn. Throws a `ModelError` of kind `script_mismatch` if no turn matches.
 */
export const pickTurn = (script: Script, request: ModelRequest): PickedTurn => {
  const index = script.conversations.findIndex((conversation) => isFor(conversation, request))
  const conversation = script.conversations[index]
  if (!conversation) {
    const user = JSON.stringify(firstUserText(request).slice(0, 300))
    throw scriptMismatch(script.file, `no conversation has a "when" that matches the first user message ${user}`)
  }
  if (request.purpose === "summary") return summaryTurn(conversation, `${script.file}, summary`)
  const number = ownTurns(request) + 1
  const name = `${script.file}, conversation ${conversation.name ?? index + 1}`
  if (request.withoutCalls === true) return reportTurn(conversation, { number, label: `${name}, report` })
  const label = `${name}, turn ${number}`
  const interjection = conversation.interjections.find(({ last }) => findMismatch({ last }, request) === undefined)
  if (interjection) return { reply: interjection.reply, number, label }
  const turn = turnAt(conversation, number)
  if (!turn) {
    const written = conversation.turns.reduce((sum, { repeat }) => sum + repeat, 0)
    throw scriptMismatch(label, `the conversation has only ${written} turns, and the model was called again`)
  }
  const found = turn.expect && findMismatch(turn.expect, request)
  if (found !== undefined) throw scriptMismatch(label, found)
  return { reply: turn.reply, number, label }
}

export const scriptMismatch = (label: string, text: string) => new ModelError("script_mismatch", `${label}: ${text}`)

const summaryTurn = ({ summary }: ScriptedConversation, label: string): PickedTurn => ({
  reply: summary ?? { text: "The earlier steps of this script." },
  number: 1,
  label,
})

/** The last answer of a run does not count as a turn: a run that continues the conversation gets the turn that would have come. */
const reportTurn = (
  { report }: ScriptedConversation,
  { number, label }: Pick<PickedTurn, "number" | "label">,
): PickedTurn => {
  const { tool_calls: _, ...reply } = report ?? {}
  return { reply, number, label }
}

/** Returns how many turns the conversation has had. */
const ownTurns = (request: ModelRequest): number => {
  const messages = allMessages(request)
  return messages.filter((message, index) => isOwnAnswer(message, request) && !isLastAnswerNotice(messages[index - 1]))
    .length
}

/** A request for a summary has another system prompt than the conversation. */
const isFor = ({ when }: ScriptedConversation, request: ModelRequest): boolean =>
  (!when?.user || firstUserText(request).search(when.user) !== -1) &&
  (!when?.system || request.purpose === "summary" || request.systemPrompt.search(when.system) !== -1)

/** Returns the whole conversation, including the part that a summary replaces. */
const allMessages = ({ hidden = [], messages }: ModelRequest): readonly Message[] => [...hidden, ...messages]

const firstUserText = (request: ModelRequest): string =>
  allMessages(request).find((message) => message.role === "user")?.text ?? ""

const isOwnAnswer = (message: Message, { spec }: ModelRequest): boolean =>
  message.role === "assistant" && message.provider === spec.provider && message.model === spec.model

const turnAt = ({ turns }: ScriptedConversation, number: number) => {
  let seen = 0
  return turns.find(({ repeat }) => (seen += repeat) >= number)
}
