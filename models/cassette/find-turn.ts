import { noTokens } from "../../domain/limits/usage-totals.ts"
import type {
  Cassette,
  CassetteConversation,
  CassetteMode,
  CassettePrint,
  CassetteReply,
} from "../../contracts/config/cassette.ts"
import type { AssistantPart, Message } from "../../contracts/message.ts"
import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import { workingDirectoryOf } from "../../domain/prompts/surroundings.ts"
import { withDirectory } from "../../domain/replay/recorded-directory.ts"
import { ModelError } from "../model-error.ts"
import type { ModelRequest } from "../model-provider.ts"
import { requestPrint, type RequestPrint } from "./request-print.ts"

type Turn = CassetteConversation["turns"][number]

/** A request, as far as a cassette compares it. */
interface Asked {
  readonly print: RequestPrint
  /** The calls of each answer so far, each as text. */
  readonly calls: readonly (readonly string[])[]
  /** The working directory, which recorded answers contain as a placeholder. */
  readonly cwd: string | undefined
}

const callsOf = (parts: readonly AssistantPart[]): readonly string[] =>
  parts.flatMap((part) =>
    part.type === "tool_call"
      ? [`${part.call.name} ${canonicalJson(part.call.arguments ?? part.call.raw_arguments)}`]
      : [],
  )

const answersOf = (messages: readonly Message[]): Asked["calls"] =>
  messages.flatMap((message) => (message.role === "assistant" ? [callsOf(message.parts)] : []))

const sameCalls = (left: readonly string[], right: readonly string[] = []): boolean =>
  left.length === right.length && left.every((call, index) => call === right[index])

/** Returns how many answers of the request made the same calls as the recorded ones, from the first one on. */
const sameAnswers = ({ turns }: CassetteConversation, { calls, cwd }: Asked): number => {
  const differing = calls.findIndex((answer, index) => {
    const turn = turns[index]
    return turn === undefined || !sameCalls(answer, callsOf(withDirectory(turn.reply.parts, cwd)))
  })
  return differing === -1 ? calls.length : differing
}

const isSamePrint = (left: CassettePrint | undefined, right: CassettePrint | undefined): boolean =>
  left?.sha256 === right?.sha256

/** Returns the conversations that fit best first. What counts, in this order: the calls so far, the first message, the system prompt. */
const ranked = (cassette: Cassette, asked: Asked): readonly CassetteConversation[] => {
  const rank = (conversation: CassetteConversation): number =>
    sameAnswers(conversation, asked) * 4 +
    (isSamePrint(conversation.messages[0], asked.print.messages[0]) ? 2 : 0) +
    (isSamePrint(conversation.turns[0]?.system, asked.print.system) ? 1 : 0)
  return cassette.conversations.toSorted((left, right) => rank(right) - rank(left))
}

const shown = (print: CassettePrint | undefined): string =>
  print === undefined ? "nothing" : JSON.stringify(print.shows)

const changeText = (recorded: CassettePrint | undefined, asked: CassettePrint | undefined): string =>
  recorded?.shows === asked?.shows
    ? `${shown(recorded)} has another text`
    : `was ${shown(recorded)} and is ${shown(asked)}`

/** Returns the first difference between a recorded request and another one; undefined if they are equal. */
const firstDifference = (conversation: CassetteConversation, turn: Turn, { print }: Asked): string | undefined => {
  if (turn.messages !== print.all) {
    const at = print.messages.findIndex((message, index) => !isSamePrint(conversation.messages[index], message))
    return at === -1
      ? "the messages are others, or in another order, than the recorded ones"
      : `message ${at + 1} ${changeText(conversation.messages[at], print.messages[at])}`
  }
  if (!isSamePrint(turn.tools, print.tools))
    return `the tools were ${shown(turn.tools)} and are ${shown(print.tools)}, or one of them is described differently`
  return isSamePrint(turn.system, print.system) ? undefined : "the system prompt is another one"
}

const recordAgain = (file: string): string => `record it again with "adjutant export <task> --cassette ${file}"`

const cassetteMismatch = (file: string, number: number, problem: string): ModelError =>
  new ModelError("script_mismatch", `${file}, turn ${number}: ${problem}; ${recordAgain(file)}`)

const findStrict = (cassette: Cassette, asked: Asked, file: string): CassetteReply => {
  const number = asked.calls.length + 1
  let problem: string | undefined
  for (const conversation of ranked(cassette, asked))
    for (const turn of conversation.turns) {
      const difference = firstDifference(conversation, turn, asked)
      if (difference === undefined) return turn.reply
      if (turn === conversation.turns[number - 1]) problem ??= difference
    }
  throw cassetteMismatch(file, number, problem ?? "the recording ended before this model call")
}

const findLenient = (cassette: Cassette, asked: Asked, file: string): CassetteReply => {
  const number = asked.calls.length + 1
  const [best] = ranked(cassette, asked)
  const same = best === undefined ? 0 : sameAnswers(best, asked)
  if (same < asked.calls.length) {
    const now = asked.calls[same]?.join(", ") || "no call"
    throw cassetteMismatch(
      file,
      number,
      `answer ${same + 1} of the transcript makes other calls than the recorded one: ${now.slice(0, 300)}`,
    )
  }
  const turn = best?.turns[number - 1]
  if (turn === undefined) throw cassetteMismatch(file, number, "the recording ended before this model call")
  return turn.reply
}

/** Summaries of earlier messages are not recorded. */
const summaryReply: CassetteReply = {
  parts: [{ type: "text", text: "The earlier steps of this recording." }],
  usage: noTokens,
  stop: "end_turn",
}

/**
 * Returns the recorded answer to a request, with the request's working directory in place of the recorded one. `strict`: the answer to an equal request.
 * `lenient`: the answer of the same turn, if all answers so far made the recorded calls; prompts and results may differ.
 * @throws ModelError `script_mismatch` that names the first difference
 */
export const findReply = (
  cassette: Cassette,
  request: ModelRequest,
  { file, mode }: { readonly file: string; readonly mode: CassetteMode },
): CassetteReply => {
  if (request.purpose !== undefined) return summaryReply
  const cwd = workingDirectoryOf(request.systemPrompt)
  const calls = answersOf([...(request.hidden ?? []), ...request.messages])
  const asked = { print: requestPrint(request), calls, cwd }
  const reply = mode === "strict" ? findStrict(cassette, asked, file) : findLenient(cassette, asked, file)
  return { ...reply, parts: withDirectory(reply.parts, cwd) }
}
