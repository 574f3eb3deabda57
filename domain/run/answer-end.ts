import type { AssistantMessage } from "../../contracts/message.ts"

type End = Pick<AssistantMessage, "stop" | "stop_word" | "usage">

/** Returns whether the model ended its answer itself. The calls of any other answer do not run: what it lacks is not known. */
export const isNormalEnd = (stop: AssistantMessage["stop"]): boolean => stop === "end_turn" || stop === "tool_calls"

const atTokens = ({ usage: { outputTokens } }: End): string =>
  outputTokens > 0 ? ` at ${outputTokens} output tokens` : " at its output limit"

/** Returns why the calls of an answer do not run, for the model; undefined if they can run. */
export const endProblem = (end: End): string | undefined => {
  switch (end.stop) {
    case "end_turn":
    case "tool_calls":
      return undefined
    case "max_tokens":
      return `not run: the answer was cut${atTokens(end)}, so its calls may be incomplete. Write less per call: split a long text into several calls, one or two per answer`
    case "context_exceeded":
      return "not run: the answer was cut because the conversation fills the model's context, so its calls may be incomplete"
    case "refusal":
      return "not run: the provider filtered the answer, or the model refused to continue"
    case "pause_turn":
      return "not run: the provider paused the answer before its end. Make the call again if it is still needed"
    case "unknown":
      return `not run: the answer ended for an unknown reason (${JSON.stringify(end.stop_word ?? "")})`
  }
}
