import { z } from "zod"
import type { Execution, RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { suggest } from "../../../domain/text/suggest.ts"
import { mcpServerOf } from "../../../domain/tools/tool-names.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import type { RunScope } from "../../contract/run-scope.ts"
import { toolInput } from "../../model/argument-problems.ts"
import { reportChangedTools } from "../../model/offer/report-server-tools.ts"
import type { CallResult, CallTool, MissingTool } from "../call-manner.ts"
import { failedRunCall } from "./failed-call.ts"

interface Bridge {
  readonly snapshot: RunSnapshot
  readonly execution: Extract<Execution, { type: "mcp-bridge" }>
}

/** Every server is asked only when the tool is not there, for the names that come near. */
const notFound = async (deps: AgentDependencies, snapshot: RunSnapshot, name: string): Promise<MissingTool> => {
  const { tools } = await deps.mcp.tools(snapshot, ["*"])
  const names = tools.map((tool) => tool.name)
  const near = suggest(name, names)
  const hint =
    near.length > 0
      ? ` (did you mean ${near.join(" or ")}?)`
      : `; there is: ${names.slice(0, 20).join(", ") || "none"}${names.length > 20 ? ", …" : ""}`
  return { code: "tool_not_found", problem: `tool not found: ${name}${hint}` }
}

const findTool = async (
  deps: AgentDependencies,
  run: RunScope,
  { snapshot, execution: { mcpTool: name } }: Bridge,
): Promise<Tool | MissingTool> => {
  const { tools, down, changed } = await deps.mcp.tools(snapshot, [name])
  await reportChangedTools(deps, run, changed)
  const tool = tools.find((candidate) => candidate.name === name)
  if (tool !== undefined) return tool
  const server = down.find((one) => one.server === mcpServerOf(name))
  return server === undefined ? notFound(deps, snapshot, name) : { code: "mcp_unavailable", problem: server.problem }
}

const execute = async (
  tool: Tool,
  { snapshot: { agent }, execution: { mcpTool, timeoutMs } }: Bridge,
  [args, context]: Parameters<Tool["execute"]>,
): Promise<CallResult> => {
  const parsed = await toolInput(tool, args)
  if ("problem" in parsed)
    return failedRunCall({
      code: "invalid_argument",
      message: `the arguments do not fit the schema of ${mcpTool}: ${parsed.problem}; look at agents.${agent}.mcpToolInput`,
    })
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const signal = AbortSignal.any([context.signal, limit])
    const { content, isError, question } = await tool.execute(parsed.input, { ...context, signal })
    if (question !== undefined) return { content, question }
    return isError === true ? failedRunCall({ code: "tool_failed", message: content }) : { content }
  } catch (error) {
    if (context.signal.aborted)
      return failedRunCall({ code: "cancelled", message: `the call of ${mcpTool} was cancelled` })
    if (!limit.aborted) throw error
    return failedRunCall({
      stopReason: "timeout",
      code: "timeout",
      message: `${mcpTool} did not answer within ${timeoutMs} ms (agents.${agent}.timeoutMs); whether it took effect is not known`,
    })
  }
}

/** Returns the tool of an MCP server as the one of a run: with the time limit of its profile. */
export const bridgedTool = async (
  deps: AgentDependencies,
  run: RunScope,
  bridge: Bridge,
): Promise<CallTool | MissingTool> => {
  const found = await findTool(deps, run, bridge).catch((error: unknown): MissingTool => ({
    code: "tool_failed",
    problem: errorMessage(error),
  }))
  if ("problem" in found) return found
  const { name, description, readOnly, definition } = found
  return {
    ...{ name, description, readOnly, idempotent: bridge.execution.idempotent },
    ...(definition === undefined ? {} : { definition }),
    input: z.unknown(),
    execute: (...call) => execute(found, bridge, call),
  }
}
