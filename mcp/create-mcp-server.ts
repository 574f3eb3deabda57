import {
  inputRequired,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { withTrace } from "../domain/trace/trace-context.ts"
import type { RemoteActor } from "../sessions/actor.ts"
import { errorResult } from "../domain/delegation/error-result.ts"
import { clientTraits } from "./transport/client-traits.ts"
import { awaitEngine } from "./engine/await-engine.ts"
import type { EngineAccess } from "./engine-access.ts"
import { EngineStarting, startingResult } from "./engine/engine-starting.ts"
import type {
  ContextAccess,
  McpContext,
  McpServerOptions,
  McpSettings,
  ClientToolCall,
  ToolReply,
} from "./mcp-context.ts"
import { createForms } from "./resume/show-forms.ts"
import { defaultAnswerLimits } from "./answer-limits.ts"
import { serveResources } from "./serve-resources.ts"
import { serverInstructions } from "./server-instructions.ts"
import { createdTask, serveTasks } from "./tasks-extension.ts"
import { toCallResult } from "./answers/to-call-result.ts"
import { mayChangeProfiles } from "./tools/profiles.ts"
import { knownTools, advertisedTools } from "./tools/offered-tools.ts"
import { registerTool } from "./tools/register-tool.ts"
import { startsAnswered } from "./tools/unanswered-starts.ts"
import { handlerOf } from "./tools/client-sub-agents.ts"
import { requestWait, toolCall } from "./transport/tool-call.ts"

const actorFor =
  (mcp: McpServer, { actorName, noApprove, directories = "any" }: McpServerOptions) =>
  (ctx: ServerContext): RemoteActor => ({
    by: actorName ?? clientTraits(mcp, ctx).name,
    via: "mcp",
    kind: "model",
    authority: { approval: noApprove ? "policy" : "all", directories },
    ...withTrace(ctx.mcpReq._meta?.["traceparent"]),
  })

const mayOnlyRead = (tool: string) =>
  errorResult("FORBIDDEN", `${tool} needs a token with the scope run; this token can only read`)

const toResult = async (context: McpContext, reply: ToolReply) => {
  switch (reply.kind) {
    case "answer":
      return toCallResult(reply.answer)
    case "ask":
      return inputRequired({ inputRequests: reply.requests, requestState: reply.state })
    case "task":
      return { ...createdTask(context, await context.client.report(reply.sessionId)), content: [] }
  }
}

/** Gives requests other than tool calls access to the engine. While it is not ready, they get an error of the protocol. */
const contextAccess = (settings: McpSettings, engine: EngineAccess): ContextAccess => ({
  current: () => {
    const current = engine.current()
    return current === undefined ? undefined : { ...settings, ...current }
  },
  open: async (ctx) => {
    try {
      return { ...settings, ...(await awaitEngine(engine, requestWait(ctx, settings))) }
    } catch (error) {
      if (!(error instanceof EngineStarting)) throw error
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message)
    }
  },
})

/**
 * Creates an MCP server that offers the delegation tools to callers outside any run, for one connection over stdio or one request over HTTP. It
 * keeps no state. Callers have depth 0. Calls wait until the engine is open.
 */
export const createMcpServer = (options: McpServerOptions): McpServer => {
  const { loaded, toolsets, logger } = options
  const settings: McpSettings = {
    loaded,
    toolsets,
    logger,
    noApprove: options.noApprove,
    readOnly: options.readOnly ?? false,
    caller: options.caller,
    allSessions: options.allSessions ?? false,
    cwd: options.cwd ?? loaded.projectRoot,
    directories: options.directories ?? "any",
    answerLimits: options.answerLimits ?? defaultAnswerLimits,
    redact: options.redact ?? ((text) => text),
  }
  const access = contextAccess(settings, options.engine)
  const mcp = new McpServer(
    { name: "adjutant", title: "Adjutant", version: options.version ?? "0.0.0" },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: serverInstructions(
        toolsets.filter((name) => name !== "profiles" || mayChangeProfiles(settings)),
        settings,
      ),
      // The SDK would not withdraw a form whose question was answered elsewhere.
      inputRequired: { legacyShim: false },
    },
  )
  const showForms = createForms(mcp)
  const actorOf = actorFor(mcp, options)
  const known = knownTools(settings)
  const offered = advertisedTools(settings)
  const answer = async (name: string, args: unknown, ctx: ServerContext) => {
    const handler = handlerOf(name)
    if (handler === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `tool ${name} not found`)
    const call = toolCall(mcp, ctx, { args, actor: actorOf(ctx), settings })
    try {
      const context = { ...settings, ...(await awaitEngine(options.engine, call)) }
      const handle = (round: ClientToolCall): Promise<ToolReply> => handler(context, round)
      const reply = await (call.retries ? handle(call) : showForms(context, call, { ctx, handle }))
      const result = await toResult(context, reply)
      startsAnswered(context.store, call.signal)
      return result
    } catch (error) {
      if (ctx.mcpReq.signal.aborted) throw error
      if (error instanceof EngineStarting) return toCallResult(startingResult(name, error, { args, cwd: settings.cwd }))
      logger.error({ err: error, tool: name }, "an MCP tool failed")
      return toCallResult(errorResult("INTERNAL_ERROR", "internal error; see the log of Adjutant"))
    }
  }
  for (const tool of offered) registerTool(mcp, tool, async (args, ctx) => await answer(tool.name, args, ctx))
  // The SDK's own handler would validate a task that replaces a result against the schema of the result.
  mcp.server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    if (!known.some((tool) => tool.name === params.name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `tool ${params.name} not found`)
    if (!offered.some((tool) => tool.name === params.name)) return toCallResult(mayOnlyRead(params.name))
    return await answer(params.name, params.arguments, ctx)
  })
  serveResources(mcp, access)
  serveTasks(mcp, { ...settings, ...access }, actorOf)
  return mcp
}
