import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequest,
  inputRequired,
  inputResponse,
  type McpServer,
  MissingRequiredClientCapabilityError,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server"
import type { FixtureTool } from "./content-tools.ts"

/** What a tool remembers between the rounds of one call. The client carries it, signed. */
export interface QuestionState {
  readonly round: number
  readonly name?: string
}

const answered = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] })

const form = (message: string, field: string): InputRequest =>
  inputRequired.elicit({
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  })

const confirmation: InputRequest = inputRequired.elicit({
  mode: "form",
  message: "Continue?",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
})

const sample = (prompt: string): InputRequest => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 50 },
})

const roots: InputRequest = { method: "roots/list", params: {} }

/** Returns the answer to a form, or undefined if the client has not given one that it accepted. */
const fieldOf = (ctx: ServerContext, key: string, field: string): string | undefined => {
  const value = acceptedContent(ctx.mcpReq.inputResponses, key)?.[field]
  return typeof value === "string" ? value : undefined
}

const hasAnswer = (ctx: ServerContext, key: string) => inputResponse(ctx.mcpReq.inputResponses, key).kind !== "missing"

const capabilitiesOf = (ctx: ServerContext): object => {
  const envelope: Readonly<Record<string, unknown>> = { ...ctx.mcpReq.envelope }
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY]
  return typeof declared === "object" && declared !== null ? declared : {}
}

type Run = FixtureTool["run"]

const askOnce =
  (key: string, request: InputRequest, answer: (ctx: ServerContext) => string): Run =>
  (ctx) =>
    hasAnswer(ctx, key) ? answered(answer(ctx)) : inputRequired({ inputRequests: { [key]: request } })

const multiRound =
  (codec: RequestStateCodec<QuestionState>): Run =>
  async (ctx) => {
    const state = ctx.mcpReq.requestState<QuestionState>()
    const name = fieldOf(ctx, "step1", "name")
    const color = fieldOf(ctx, "step2", "color")
    if (state?.round === 2 && color !== undefined) return answered(`${state.name} likes ${color}`)
    if (state?.round === 1 && name !== undefined)
      return inputRequired({
        inputRequests: { step2: form("Which color do you like?", "color") },
        requestState: await codec.mint({ round: 2, name }),
      })
    return inputRequired({
      inputRequests: { step1: form("What is your name?", "name") },
      requestState: await codec.mint({ round: 1 }),
    })
  }

const confirm =
  (codec: RequestStateCodec<QuestionState>, answer: string): Run =>
  async (ctx) =>
    ctx.mcpReq.requestState<QuestionState>() !== undefined && hasAnswer(ctx, "confirm")
      ? answered(answer)
      : inputRequired({
          inputRequests: { confirm: confirmation },
          requestState: await codec.mint({ round: 1 }),
        })

const manyQuestions =
  (codec: RequestStateCodec<QuestionState>): Run =>
  async (ctx) => {
    const inputRequests = { user_name: form("Name?", "name"), greeting: sample("Greet"), client_roots: roots }
    return Object.keys(inputRequests).every((key) => hasAnswer(ctx, key))
      ? answered("all three questions are answered")
      : inputRequired({ inputRequests, requestState: await codec.mint({ round: 1 }) })
  }

const onlyDeclared: Run = (ctx) => {
  const declared = capabilitiesOf(ctx)
  const inputRequests = {
    ...("elicitation" in declared ? { elicit_input: form("A value?", "value") } : {}),
    ...("sampling" in declared ? { sample_input: sample("A value?") } : {}),
  }
  const keys = Object.keys(inputRequests)
  return keys.every((key) => hasAnswer(ctx, key))
    ? answered(`answered: ${keys.join(", ")}`)
    : inputRequired({ inputRequests })
}

const needsSampling: Run = (ctx) => {
  if (!("sampling" in capabilitiesOf(ctx)))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  return answered("the client can sample")
}

/** Returns the tools that ask the client. */
export const questionTools = (codec: RequestStateCodec<QuestionState>): Readonly<Record<string, FixtureTool>> => {
  const runs: Readonly<Record<string, FixtureTool["run"]>> = {
    test_input_required_result_elicitation: askOnce(
      "user_name",
      form("What is your name?", "name"),
      (ctx) => `Hello, ${fieldOf(ctx, "user_name", "name")}!`,
    ),
    test_input_required_result_sampling: askOnce("sample_request", sample("Name a capital"), () => "sampled"),
    test_input_required_result_list_roots: askOnce("roots_request", roots, () => "listed"),
    test_input_required_result_request_state: confirm(codec, "state-ok"),
    test_input_required_result_tampered_state: confirm(codec, "integrity-ok"),
    test_input_required_result_multiple_inputs: manyQuestions(codec),
    test_input_required_result_multi_round: multiRound(codec),
    test_input_required_result_capabilities: onlyDeclared,
    test_missing_capability: needsSampling,
    test_streaming_elicitation: askOnce("user_name", form("What is your name?", "name"), () => "answered"),
  }
  return Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, { run }]))
}

/** Adds the prompt that asks the client. */
export const addQuestionPrompt = (mcp: McpServer): void => {
  mcp.registerPrompt(
    "test_input_required_result_prompt",
    { description: "A prompt that asks for its context" },
    (ctx: ServerContext) => {
      const context = fieldOf(ctx, "user_context", "context")
      return context === undefined
        ? inputRequired({ inputRequests: { user_context: form("Which context?", "context") } })
        : { messages: [{ role: "user", content: { type: "text", text: `context: ${context}` } }] }
    },
  )
}
