import { type McpServer, SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server"
import type { RemoteActor } from "../../sessions/authority/actor.ts"
import { progressOf } from "../answers/request-progress.ts"
import type { McpSettings, ToolCall } from "../mcp-context.ts"
import { clientTraits } from "./client-traits.ts"

const isDisconnect = (reason: unknown): boolean =>
  reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed

/** True if the client cancelled the request; false if it disconnected. */
const isCancelled = ({ mcpReq }: ServerContext): boolean => mcpReq.signal.aborted && !isDisconnect(mcpReq.signal.reason)

/** Returns the part of a request that a wait for the engine needs. */
export const requestWait = (ctx: ServerContext): Pick<ToolCall, "signal" | "progress" | "isCancelled"> => ({
  signal: ctx.mcpReq.signal,
  progress: progressOf(ctx),
  isCancelled: () => isCancelled(ctx),
})

const stateOf = (state: unknown): string | undefined => (typeof state === "string" ? state : undefined)

/** Returns the tool call of a request. A caller that can only read gets no questions, and its answers to earlier ones are ignored. */
export const toolCall = (
  mcp: McpServer,
  ctx: ServerContext,
  {
    args,
    actor,
    settings: { readOnly, answerLimits },
  }: {
    readonly args: unknown
    readonly actor: RemoteActor
    readonly settings: Pick<McpSettings, "readOnly" | "answerLimits">
  },
): ToolCall => {
  const { canElicit, wantsTask, isModern } = clientTraits(mcp, ctx)
  const wait = requestWait(ctx)
  return {
    ...wait,
    answerBy: Date.now() + (wait.progress === undefined ? answerLimits.plainMs : answerLimits.progressMs),
    args,
    actor,
    canElicit: canElicit && !readOnly,
    wantsTask,
    retries: isModern,
    inputResponses: readOnly ? {} : (ctx.mcpReq.inputResponses ?? {}),
    requestState: stateOf(ctx.mcpReq.requestState()),
  }
}
