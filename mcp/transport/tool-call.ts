import type { McpServer, ServerContext } from "@modelcontextprotocol/server"
import { repeatedKey } from "../../contracts/service/mcp-connection.ts"
import type { RemoteActor } from "../../sessions/actor.ts"
import { wellFormed } from "../../domain/text/foreign/well-formed.ts"
import { progressOf } from "../answers/request-progress.ts"
import type { McpSettings, ClientToolCall } from "../mcp-context.ts"
import { clientTraits } from "./client-traits.ts"

/** Returns the part of a request that a wait for the engine needs. */
export const requestWait = (
  ctx: ServerContext,
  { answerLimits }: Pick<McpSettings, "answerLimits">,
): Pick<ClientToolCall, "signal" | "progress" | "answerBy"> => {
  const progress = progressOf(ctx)
  const limitMs = progress === undefined ? answerLimits.plainMs : answerLimits.progressMs
  return { signal: ctx.mcpReq.signal, progress, answerBy: Date.now() + limitMs }
}

const stateOf = (state: unknown): string | undefined => (typeof state === "string" ? state : undefined)

/** Returns the tool call of a request. A caller that can only read gets no questions, and its answers to earlier ones are ignored. */
export const toolCall = (
  mcp: McpServer,
  ctx: ServerContext,
  {
    args,
    actor,
    settings,
  }: {
    readonly args: unknown
    readonly actor: RemoteActor
    readonly settings: Pick<McpSettings, "readOnly" | "answerLimits">
  },
): ClientToolCall => {
  const { canElicit, wantsTask, isModern } = clientTraits(mcp, ctx)
  const { readOnly } = settings
  return {
    ...requestWait(ctx, settings),
    args: wellFormed(args),
    actor,
    canElicit: canElicit && !readOnly,
    wantsTask,
    retries: isModern,
    inputResponses: readOnly ? {} : (ctx.mcpReq.inputResponses ?? {}),
    requestState: stateOf(ctx.mcpReq.requestState()),
    isRepeated: ctx.mcpReq._meta?.[repeatedKey] === true,
  }
}
