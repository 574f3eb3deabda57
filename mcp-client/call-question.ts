import type { ElicitRequestParams, InputRequiredResult } from "@modelcontextprotocol/client"
import { z } from "zod"
import {
  type Elicitation,
  type ElicitationAnswer,
  elicitationText,
  readElicitationAnswer,
} from "../domain/approval/elicitation-answer.ts"
import type { ToolQuestion } from "../tools/tool.ts"

const answerSchema = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
})
const elicitationSchema = z.object({
  message: z.string(),
  requestedSchema: z.record(z.string(), z.unknown()).optional(),
  url: z.string().optional(),
})

/**
 * The state of a call that waits for a person. A server of the newer protocol returns a state with which the call continues (`resume`); one of
 * an older protocol is called again from the start and gets the answers in the order of its questions (`repeat`).
 */
const stateSchema = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("repeat"), asked: elicitationSchema, answers: z.array(answerSchema) }),
  z.object({
    mode: z.literal("resume"),
    requestState: z.string().optional(),
    /** Those still to be asked, the first one now. */
    asked: z.array(z.tuple([z.string(), elicitationSchema])).min(1),
    answers: z.record(z.string(), answerSchema),
  }),
])
type CallState = z.infer<typeof stateSchema>

/** What is known when a call (again) begins. */
export interface CallStart {
  readonly answers: readonly ElicitationAnswer[]
  readonly resume?: {
    readonly requestState?: string
    readonly inputResponses: Readonly<Record<string, ElicitationAnswer>>
  }
}

const questionOf = (state: CallState, server: string, problem?: string): ToolQuestion => {
  const asked = state.mode === "repeat" ? state.asked : state.asked[0]?.[1]
  const text = elicitationText(asked ?? { message: "" }, server)
  return {
    message: problem === undefined ? text : `Not understood: ${problem}.\n\n${text}`,
    state: JSON.stringify(state),
  }
}

const toElicitation = (params: ElicitRequestParams): Elicitation => ({
  message: params.message,
  ...("url" in params ? { url: params.url } : { requestedSchema: { ...params.requestedSchema } }),
})

export const questionOfRequest = (
  params: ElicitRequestParams,
  answers: readonly ElicitationAnswer[],
  server: string,
): ToolQuestion => questionOf(stateSchema.parse({ mode: "repeat", asked: toElicitation(params), answers }), server)

/** The questions of a result, or what else the server wants and cannot have. */
export const questionOfResult = (
  result: InputRequiredResult,
  server: string,
): ToolQuestion | { readonly unsupported: string } => {
  const asked: [string, Elicitation][] = []
  for (const [key, request] of Object.entries(result.inputRequests ?? {})) {
    if (request.method !== "elicitation/create") return { unsupported: request.method }
    asked.push([key, toElicitation(request.params)])
  }
  if (asked.length === 0) return { unsupported: "another try without saying what it waits for" }
  return questionOf(
    stateSchema.parse({ mode: "resume", requestState: result.requestState, asked, answers: {} }),
    server,
  )
}

export type Continuation =
  | { readonly kind: "call"; readonly start: CallStart }
  | { readonly kind: "ask"; readonly question: ToolQuestion }

/** How a call goes on with a person's answer: with the server, or with the next question. */
export const continueCall = (
  answered: { readonly state: string; readonly text: string },
  server: string,
): Continuation => {
  const state = stateSchema.parse(JSON.parse(answered.state))
  const first = state.mode === "resume" ? state.asked[0] : undefined
  const asked = state.mode === "repeat" ? state.asked : first?.[1]
  const read = readElicitationAnswer(asked ?? { message: "" }, answered.text)
  if (!read.ok) return { kind: "ask", question: questionOf(state, server, read.problem) }
  if (state.mode === "repeat") return { kind: "call", start: { answers: [...state.answers, read.answer] } }
  const answers = { ...state.answers, [first?.[0] ?? ""]: answerSchema.parse(read.answer) }
  const rest = state.asked.slice(1)
  if (rest.length > 0) return { kind: "ask", question: questionOf({ ...state, asked: rest, answers }, server) }
  const { requestState } = state
  return {
    kind: "call",
    start: {
      answers: [],
      resume: { inputResponses: answers, ...(requestState === undefined ? {} : { requestState }) },
    },
  }
}
