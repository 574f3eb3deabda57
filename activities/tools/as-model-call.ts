import type { Message, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { withEditNote } from "../../domain/approval/edit-note.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { withIgnored } from "../../domain/tools/arguments/read-calls.ts"
import { mcpServerOf } from "../../domain/tools/tool-names.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import type { ToolQuestion, ToolResult } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { toolInput } from "../model/argument-problems.ts"
import { offeredTool } from "../model/offered-tools.ts"
import { showFolderGuides } from "./additions/show-folder-guides.ts"
import { describeMedia } from "./additions/store-media.ts"
import type { CallManner, ToolEnd, ToolJob } from "./call-manner.ts"

const executed = { executed: true }

const failed = (content: string): ToolEnd => ({ outcome: "error", content, extra: executed })

/** The end of a call whose tool was never called. */
const notExecuted = (content: string): ToolEnd => ({ outcome: "error", content, extra: { executed: false } })

type Produced = { readonly result: Pick<ToolResult, "content" | "media"> } | { readonly question: ToolQuestion }

const produce = async (deps: AgentDependencies, { tool, call, context }: ToolJob): Promise<ToolEnd | Produced> => {
  const parsed = await toolInput(tool, call.arguments)
  if ("problem" in parsed) return notExecuted(`the arguments do not fit: ${parsed.problem}`)
  try {
    const result = await tool.execute(parsed.input, context)
    if (context.signal.aborted) return failed(`cancelled while it ran\n${result.content}`.trim())
    if (result.question !== undefined) return { question: result.question }
    // Tools of our own cut their results themselves, by what they know of them.
    const isForeign = mcpServerOf(tool.name) !== undefined
    const content = isForeign
      ? await deps.cutOutput(result.content, { spillDir: context.spillDir, name: "mcp" })
      : result.content
    return result.isError === true ? failed(content) : { result: { ...result, content } }
  } catch (error) {
    if (context.signal.aborted) return failed("cancelled while it ran")
    return failed(`${tool.name} failed: ${errorMessage(error)}`)
  }
}

const execute = async (
  deps: AgentDependencies,
  job: ToolJob,
): Promise<ToolEnd | { readonly question: ToolQuestion }> => {
  const produced = await produce(deps, job)
  if (!("result" in produced)) return produced
  const { content, media: found } = describeMedia(produced.result)
  return { outcome: "ok", content, extra: found.length === 0 ? executed : { ...executed, found } }
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

/** Returns how a call is executed that a model proposed: its result is a row of its own, which the model reads. */
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
    refused: ({ text }) => notExecuted(text),
    async execute(job) {
      const end = await execute(deps, job)
      if ("question" in end) return end
      const content =
        end.outcome === "ok"
          ? await showFolderGuides(deps, input, { snapshot, call, content: end.content })
          : end.content
      return noted({ ...end, content })
    },
  }
}
