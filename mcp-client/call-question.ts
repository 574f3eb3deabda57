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
 * The state of a call that waits for a person. A server with the newer protocol returns a state with which the call continues (`resume`). A server
 * with an older protocol is called again from the start and gets the answers in the order of its questions (`repeat`).
 */
const stateSchema = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("repeat"), asked: elicitationSchema, answers: z.array(answerSchema) }),
  z.object({
    mode: z.literal("resume"),
    requestState: z.string().optional(),
    /** Open questions by key; the first one is asked now. */
    asked: z.array(z.tuple([z.string(), elicitationSchema])).min(1),
    answers: z.record(z.string(), answerSchema),
  }),
])
type CallState = z.infer<typeof stateSchema>

/** The answers that are known when a call starts, for the first time or again. */
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
    message: problem === undefined ? text : `The answer was not accepted: ${problem}.\n\n${text}`,
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

/** Returns the questions of a result, or the kind of input that the server requests and Adjutant does not support. */
export const questionOfResult = (
  result: InputRequiredResult,
  server: string,
): ToolQuestion | { readonly unsupported: string } => {
  const asked: [string, Elicitation][] = []
  for (const [key, request] of Object.entries(result.inputRequests ?? {})) {
    if (request.method !== "elicitation/create") return { unsupported: request.method }
    asked.push([key, toElicitation(request.params)])
  }
  if (asked.length === 0) return { unsupported: "another attempt without a question" }
  return questionOf(
    stateSchema.parse({ mode: "resume", requestState: result.requestState, asked, answers: {} }),
    server,
  )
}

export type Continuation =
  | { readonly kind: "call"; readonly start: CallStart }
  | { readonly kind: "ask"; readonly question: ToolQuestion }

/** Returns how a call continues after a person's answer: with another request to the server, or with the next question. */
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
