import type { AssistantMessage } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { UsageTotals } from "../../domain/limits/usage-totals.ts"
import { lastAnswerProblem } from "../../domain/run/last-answer.ts"
import { isNormalEnd } from "../../domain/run/answer-end.ts"
import { previewOf } from "../../domain/text/preview.ts"
import { answerText } from "../../domain/transcript/last-text.ts"
import { readResult } from "../../domain/transcript/read-result.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { resultProblem } from "../../sessions/result/check-result.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { auditGranted, findGrant } from "../approval/granted-calls.ts"
import type { CallModelInput } from "../contract/agent-activities.ts"
import type { CallModelResult } from "../contract/call-model-result.ts"
import { callSurroundings } from "./call-surroundings.ts"
import { type CallSurroundings, classifyCalls } from "./classify-calls.ts"
import { mayCompact } from "./plan-turn.ts"

/** An answer that is in the transcript. */
export interface WrittenAnswer {
  readonly snapshot: RunSnapshot
  readonly message: AssistantMessage
  /** Of all attempts of the step. */
  readonly usage: UsageTotals
}

/** Returns why a final text is not the result that the run requires; nothing for any other answer. */
const finalTextProblem = async (
  { redact }: Pick<AgentDependencies, "redact">,
  { snapshot, message }: WrittenAnswer,
): Promise<{ readonly resultProblem?: string }> => {
  const isFinal = isNormalEnd(message.stop) || message.stop === "unknown"
  if (snapshot.outputSchema === undefined || snapshot.pauseOnText || !isFinal || toolCallsOf(message).length > 0)
    return {}
  const problem = await resultProblem(snapshot, readResult(answerText(message)))
  return problem === undefined ? {} : { resultProblem: redact(problem) }
}

/** Asks the gate about the calls of an answer. Returns what the workflow decides by: previews and numbers, no transcript. */
export const concludeTurn = async (
  deps: AgentDependencies,
  input: CallModelInput,
  answer: WrittenAnswer,
): Promise<Extract<CallModelResult, { kind: "answer" }>> => {
  const { snapshot, message, usage } = answer
  const text = answerText(message)
  const grantFor: CallSurroundings["grantFor"] = (call, opens) => findGrant(deps, input, { snapshot, call, opens })
  const surroundings = { ...(await callSurroundings(deps, snapshot, input)), grantFor }
  const calls = await classifyCalls(message, surroundings, input.isLast === true ? lastAnswerProblem : undefined)
  await auditGranted(deps, input, { message, calls })
  return {
    kind: "answer",
    // Once the conversation is shorter, an answer that the end of the context cut off is continued like any other one.
    stop: message.stop === "context_exceeded" && mayCompact(input, snapshot) ? "max_tokens" : message.stop,
    ...(message.stop_word === undefined ? {} : { stopWord: message.stop_word }),
    calls,
    hasText: text.trim() !== "",
    preview: previewOf(deps.redact(text)),
    usage,
    ...(input.isLast === true ? {} : await finalTextProblem(deps, answer)),
  }
}
