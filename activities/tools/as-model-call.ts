import type { Message, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { withEditNote } from "../../domain/calls/edit-note.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { withIgnored } from "../../domain/tools/arguments/read-calls.ts"
import { mcpServerOf } from "../../domain/tools/tool-names.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import type { ToolQuestion } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { limitReached } from "../followed-calls.ts"
import { offeredTool } from "../model/offer/offered-tools.ts"
import { showFolderGuides } from "./additions/show-folder-guides.ts"
import { describeMedia } from "./additions/store-media.ts"
import type { CallManner, ToolEnd } from "./call-manner.ts"
import { refusalText } from "../approval/audit-refusal.ts"

const executed = { executed: true }

const failed = (content: string): ToolEnd => ({ outcome: "error", content, extra: executed })

/** The end of a call whose tool was never called. */
const notExecuted = (content: string): ToolEnd => ({ outcome: "error", content, extra: { executed: false } })

/** Says why a call ended before it was done. */
const stopText = (signal: AbortSignal): string => {
  const limitMs = limitReached(signal)
  return limitMs === undefined
    ? "cancelled while it ran"
    : `stopped after ${limitMs / 1_000} s, the time limit of a call (timing.toolTimeoutMs)`
}

/** Returns a result as the model reads it. */
const taken = async (
  deps: AgentDependencies,
  { name }: Pick<ToolCall, "name">,
  [result, context]: Parameters<CallManner["returned"]>,
): Promise<ToolEnd | { readonly question: ToolQuestion }> => {
  if (context.signal.aborted) return failed(`${stopText(context.signal)}\n${result.content}`.trim())
  if (result.question !== undefined) return { question: result.question }
  // Tools of our own cut their results themselves, by what they know of them.
  const isForeign = mcpServerOf(name) !== undefined
  const whole = isForeign
    ? await deps.cutOutput(result.content, { spillDir: context.spillDir, name: "mcp" })
    : result.content
  if (result.isError === true) return failed(whole)
  const { content, media: found } = describeMedia({ ...result, content: whole })
  const { touched } = result
  return {
    outcome: "ok",
    content,
    extra: { ...executed, ...withoutUndefined({ touched }), ...(found.length === 0 ? {} : { found }) },
  }
}

const toMessage = ({ id, name }: ToolCall, { outcome, content, extra }: ToolEnd): Message => ({
  role: "tool",
  call_id: id,
  name,
  outcome,
  content,
  ...withoutUndefined({ media: extra.media }),
  ...(extra.executed ? {} : { executed: false }),
})

const ofMessage = (message: Message): ToolEnd | undefined =>
  message.role === "tool"
    ? {
        outcome: message.outcome,
        content: message.content,
        extra: { executed: message.executed !== false, ...withoutUndefined({ media: message.media }) },
      }
    : undefined

/** Returns what becomes of a call that a model proposed: its result is a row of its own, which the model reads. */
export const asModelCall = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, call }: { readonly snapshot: RunSnapshot; readonly call: ToolCall },
): Promise<CallManner> => {
  const tool = await offeredTool(deps, snapshot, call.name)
  const noted = (end: ToolEnd): ToolEnd => ({
    ...end,
    content: withEditNote(input, call, withIgnored(end.content, call.ignored_arguments)),
  })
  return {
    tool,
    // A tool that is not here does nothing, however often.
    idempotent: "problem" in tool || tool.idempotent,
    toRow: (end) => toMessage(call, end),
    fromRow: ofMessage,
    unknown: (content) => noted({ outcome: "unknown", content, extra: executed }),
    refused: (why) => notExecuted(refusalText(why)),
    misfit: (problem) => noted(notExecuted(`the arguments do not fit: ${problem}`)),
    thrown: (error, signal) =>
      noted(failed(signal.aborted ? stopText(signal) : `${call.name} failed: ${errorMessage(error)}`)),
    async returned(...result) {
      const end = await taken(deps, call, result)
      if ("question" in end) return end
      if (end.outcome !== "ok") return noted(end)
      return noted({ ...end, content: await showFolderGuides(deps, input, { snapshot, call, content: end.content }) })
    },
  }
}
