import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type ElicitResult,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Tool as McpTool,
} from "@modelcontextprotocol/client"
import { z } from "zod"
import { canonicalJson } from "../domain/text/json/canonical-json.ts"
import { errorMessage } from "../domain/text/error-message.ts"
import { withoutUndefined } from "../domain/without-undefined.ts"
import type { Tool, ToolContext, ToolQuestion, ToolResult } from "../tools/tool.ts"
import { type CallStart, continueCall, questionOfRequest, questionOfResult } from "./call-question.ts"
import type { ForeignSchemas } from "./connection/foreign-schema.ts"
import { McpUnavailable } from "./transport/mcp-unavailable.ts"
import { missingScope } from "./connection/login-command.ts"
import { readCallResult } from "./read-call-result.ts"
import type { ServerConnection } from "./connection/server-connection.ts"
import { startOf } from "../domain/text/foreign/well-formed.ts"

export interface McpToolSource {
  /** Whether the configuration trusts the server to say which tools are read-only. */
  readonly trustsReadOnlyHint: boolean
  readonly server: string
  readonly connection: ServerConnection
  readonly schemas: ForeignSchemas
  /** Time limit of one call; each progress notification restarts it. */
  readonly timeoutMs: number
}

const maxDescription = 10_000
const shownProblem = 300

const argumentsSchema = z.record(z.string(), z.unknown())

type ToolArguments = z.infer<typeof argumentsSchema>

/** Returns what a model is told when a request to a server failed. */
export const mcpFailureText = (error: unknown, source: McpToolSource): string => {
  const missing = missingScope(error, source.server)
  if (missing !== undefined) return missing
  if (error instanceof McpUnavailable) return `${error.message}; continue without it, or try again later`
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout)
      return `MCP server ${source.server} did not answer within ${source.timeoutMs} ms (mcpServers.${source.server}.timeoutMs); it is unknown whether the call took effect`
    if (error.code === SdkErrorCode.InvalidResult || error.code === SdkErrorCode.UnsupportedResultType)
      return `MCP server ${source.server} answered in a form that cannot be read; the call may have taken effect: ${error.message.slice(0, shownProblem)}`
    return `the connection to MCP server ${source.server} failed: ${error.message}; it is unknown whether the call took effect`
  }
  if (ProtocolError.isInstance(error)) return `MCP server ${source.server} returned an error: ${error.message}`
  return `MCP server ${source.server} could not be called: ${errorMessage(error)}`
}

/** Makes one attempt at a call. Returns its result, or the question that the server asked. */
const attempt = async (
  source: McpToolSource,
  call: { readonly name: string; readonly args: ToolArguments; readonly start: CallStart },
  context: ToolContext,
): Promise<CallToolResult | InputRequiredResult | { readonly question: ToolQuestion }> => {
  const { start } = call
  const stop = new AbortController()
  let question: ToolQuestion | undefined
  let asked = 0
  const elicit = (params: Parameters<typeof questionOfRequest>[0]): ElicitResult => {
    const known = start.answers[asked]
    asked += 1
    if (known !== undefined)
      return { action: known.action, ...(known.content === undefined ? {} : { content: { ...known.content } }) }
    question = questionOfRequest(params, start.answers, source.server)
    stop.abort(new Error("the server asked a question"))
    return { action: "cancel" }
  }
  try {
    const result = await source.connection.call(
      { name: call.name, arguments: call.args, ...start.resume },
      {
        timeout: source.timeoutMs,
        resetTimeoutOnProgress: true,
        signal: AbortSignal.any([context.signal, stop.signal]),
        onprogress: ({ progress, total, message }) =>
          context.progress?.({ progress, ...withoutUndefined({ total, message }) }),
      },
      elicit,
    )
    return question === undefined ? result : { question }
  } catch (error) {
    if (question !== undefined) return { question }
    throw error
  }
}

const asking = (question: ToolQuestion): ToolResult => ({ content: "", question })

/** Adds a remark to a result whose structured content does not match the tool's schema. It stays a result and no error, because the call was executed. */
const withRemark = async (
  { schemas }: McpToolSource,
  { outputSchema }: McpTool,
  { result, read }: { readonly result: CallToolResult; readonly read: Pick<ToolResult, "content" | "media"> },
): Promise<Pick<ToolResult, "content" | "media">> => {
  const { structuredContent, isError } = result
  if (outputSchema === undefined || isError === true) return read
  const remark =
    structuredContent === undefined
      ? "(the tool has an output schema, and returned no structured content)"
      : await schemas.outputRemark(outputSchema, structuredContent)
  return remark === undefined ? read : { ...read, content: `${read.content}\n\n${remark}` }
}

const execute = async (
  source: McpToolSource,
  call: { readonly tool: McpTool; readonly args: ToolArguments },
  context: ToolContext,
): Promise<ToolResult> => {
  const begun = context.answered === undefined ? undefined : continueCall(context.answered, source.server)
  if (begun?.kind === "ask") return asking(begun.question)
  try {
    const result = await attempt(
      source,
      { name: call.tool.name, args: call.args, start: begun?.start ?? { answers: [] } },
      context,
    )
    if ("question" in result && isQuestion(result.question)) return asking(result.question)
    if (isInputRequiredResult(result)) {
      const question = questionOfResult(result, source.server)
      return "unsupported" in question
        ? {
            content: `MCP server ${source.server} requested ${question.unsupported}, which Adjutant does not support`,
            isError: true,
          }
        : asking(question)
    }
    if (!isResult(result)) throw new Error("the result has an unknown form")
    const read = await readCallResult(result, context.spillDir)
    return {
      ...(await withRemark(source, call.tool, { result, read })),
      ...(result.isError === true ? { isError: true } : {}),
    }
  } catch (error) {
    context.signal.throwIfAborted()
    return { content: mcpFailureText(error, source), isError: true }
  }
}

const isQuestion = (value: unknown): value is ToolQuestion =>
  typeof value === "object" && value !== null && "state" in value && "message" in value

const isResult = (value: object): value is CallToolResult => "content" in value && Array.isArray(value.content)

const definitionOf = ({ name, title, description, inputSchema, annotations }: McpTool): string =>
  JSON.stringify(JSON.parse(canonicalJson({ name, title, description, inputSchema, annotations })), null, 2)

/**
 * Returns a server's tool as agents see it, with the server's own schema. That a tool is read-only is only a claim of the server, so it counts only if the
 * configuration trusts the server with it.
 */
export const createMcpTool = (source: McpToolSource, tool: McpTool): Tool => {
  const { readOnlyHint, idempotentHint, destructiveHint } = tool.annotations ?? {}
  const saysReadOnly = readOnlyHint === true && destructiveHint !== true
  const schema: Readonly<Record<string, unknown>> = { ...tool.inputSchema }
  return {
    name: `mcp__${source.server}__${tool.name}`,
    description: startOf(tool.description ?? tool.title ?? tool.annotations?.title ?? tool.name, maxDescription),
    input: argumentsSchema,
    inputJsonSchema: schema,
    inputProblem: (args) => source.schemas.inputProblem(schema, args),
    readOnly: saysReadOnly && source.trustsReadOnlyHint,
    idempotent: saysReadOnly || idempotentHint === true,
    definition: () => definitionOf(tool),
    execute: (args, context) => execute(source, { tool, args: argumentsSchema.parse(args) }, context),
  }
}
