import type { MessageSource, ToolCall, ToolMessage } from "../../contracts/message.ts"
import { stepCounter } from "../../domain/transcript/fork-point.ts"
import type { TranscriptRow } from "../api/shapes.ts"
import type { PlaceInTranscript } from "./address.ts"

export interface CallItem {
  /** The answer that proposed the call: ids of calls are unique within one answer only. */
  readonly seq: number
  readonly call: ToolCall
  readonly result: ToolMessage | undefined
}

export type TextPart = { readonly kind: "text" | "reasoning"; readonly text: string }

/** What the transcript shows as one: a message of a person or a program, or what a model wrote and the calls that it made next. */
export type Block =
  | { readonly kind: "user"; readonly seq: number; readonly source: MessageSource; readonly text: string }
  | {
      readonly kind: "assistant"
      readonly seq: number
      /** Counted over all runs of the session. */
      readonly steps: readonly number[]
      readonly model: string
      readonly parts: readonly TextPart[]
      readonly calls: readonly CallItem[]
    }

type AssistantBlock = Extract<Block, { kind: "assistant" }>

const assistantBlock = (
  { message, seq }: TranscriptRow,
  step: number,
  results: ReadonlyMap<string, ToolMessage>,
): AssistantBlock | undefined => {
  if (message.role !== "assistant") return undefined
  const parts: TextPart[] = []
  const calls: CallItem[] = []
  for (const part of message.parts) {
    if (part.type === "tool_call") calls.push({ seq, call: part.call, result: results.get(part.call.id) })
    else if (part.type !== "opaque" && part.text.trim() !== "") parts.push({ kind: part.type, text: part.text })
  }
  return { kind: "assistant", seq, steps: [step], model: message.model, parts, calls }
}

/** Returns the results between an answer and the next one. */
const resultsAfter = (rows: readonly TranscriptRow[], index: number): ReadonlyMap<string, ToolMessage> => {
  const found = new Map<string, ToolMessage>()
  for (let at = index + 1; at < rows.length; at += 1) {
    const message = rows[at]?.message
    if (message?.role === "assistant") break
    if (message?.role === "tool") found.set(message.call_id, message)
  }
  return found
}

const starters: ReadonlySet<string> = new Set(["Task", "dynamic_subagent_task", "run_command_task", "sessions_spawn"])

/** Returns whether an answer of a transcript calls a tool that starts sub-agents. */
export const startsChildren = (rows: readonly TranscriptRow[]): boolean =>
  rows.some(
    ({ message }) =>
      message.role === "assistant" &&
      message.parts.some((part) => part.type === "tool_call" && starters.has(part.call.name)),
  )

/** Returns the sub-agents that a call started: those that its result names. */
export const startedChildren = <Child extends { readonly id: string }>(
  { call, result }: CallItem,
  children: readonly Child[],
): readonly Child[] => {
  if (!starters.has(call.name) || result === undefined) return []
  const words = new Set(result.content.match(/[\w-]+/g))
  return children.filter(({ id }) => words.has(id))
}

/** Returns a transcript as blocks. Steps without a word of the model continue the calls of the step before. */
export const blocksOf = (rows: readonly TranscriptRow[]): readonly Block[] => {
  const blocks: Block[] = []
  const numberOf = stepCounter()
  for (const [index, row] of rows.entries()) {
    const { message, seq } = row
    if (message.role === "user") blocks.push({ kind: "user", seq, source: message.source, text: message.text })
    const block =
      message.role === "assistant"
        ? assistantBlock(row, numberOf(row.run_id, row.step), resultsAfter(rows, index))
        : undefined
    if (block === undefined) continue
    const before = blocks.at(-1)
    if (before?.kind === "assistant" && block.parts.length === 0 && before.calls.length > 0)
      blocks[blocks.length - 1] = {
        ...before,
        steps: [...before.steps, ...block.steps],
        calls: [...before.calls, ...block.calls],
      }
    else blocks.push(block)
  }
  return blocks
}

/** Returns the index of the block that shows a step or a row, -1 if there is none; undefined if no place is wanted. */
export const indexOfPlace = (
  blocks: readonly Block[],
  { step, row }: Partial<Pick<PlaceInTranscript, "step" | "row">>,
): number | undefined => {
  if (step !== undefined) return blocks.findIndex((block) => block.kind === "assistant" && block.steps.includes(step))
  return row === undefined ? undefined : blocks.findLastIndex(({ seq }) => seq <= row)
}

/** Returns the call that a place names: by the row of the answer that proposed it, or of its result. */
export const linkedCall = (blocks: readonly Block[], { row, call }: Partial<PlaceInTranscript>): CallItem | undefined =>
  row === undefined || call === undefined
    ? undefined
    : blocks
        .flatMap((block) => (block.kind === "assistant" ? block.calls : []))
        .findLast((item) => item.call.id === call && item.seq <= row)

/** Returns how often each tool was called: "Read ×3, Grep". */
export const toolCounts = (calls: readonly CallItem[]): string =>
  [...Map.groupBy(calls, ({ call }) => call.name)]
    .map(([name, each]) => (each.length === 1 ? name : `${name} ×${each.length}`))
    .join(", ")

const resultFence = /^<([\w-]+)[^>]*>\n([^]*?)\n<\/\1>/m

export interface ReportedChild {
  readonly label: string
  readonly status: string
  readonly reason: string | undefined
  readonly childId: string | undefined
  readonly result: string
}

/** Reads the message with which a sub-agent's end is reported. Undefined if it has another form; it is then shown as it is. */
export const readReport = (text: string): ReportedChild | undefined => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1]
  const [label, status] = [field("label"), field("status")]
  if (!text.startsWith("[Internal event: a sub-agent's run has ended]") || label === undefined || status === undefined)
    return undefined
  return {
    label,
    status,
    reason: field("error") ?? field("reason"),
    childId: / · sessionId ([\w-]+) · /.exec(text.slice(text.lastIndexOf("\n")))?.[1],
    result: resultFence.exec(text)?.[2] ?? "",
  }
}
