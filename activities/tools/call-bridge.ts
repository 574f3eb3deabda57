import { ApplicationFailure } from "@temporalio/activity"
import type { Execution, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { suggest } from "../../domain/text/suggest.ts"
import { judgeStart } from "../approval/call-facts.ts"
import { mcpServerOf } from "../../domain/tools/tool-names.ts"
import type { Tool, ToolQuestion } from "../../tools/tool.ts"
import type { AgentActivities, RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { loadAnsweredQuestion } from "./call-question.ts"
import { completed, failed, notMade, type RunCallEnd, runWork } from "./run-result.ts"
import { reportChangedTools } from "../model/report-server-tools.ts"
import { toolContext } from "./tool-context.ts"
import { callSignal, runCall } from "../followed-calls.ts"
import { loadCall } from "./load-call.ts"
import { toolInput } from "../model/argument-problems.ts"

type Bridge = Extract<Execution, { type: "mcp-bridge" }>

const bridgeOf = (snapshot: RunSnapshot): Bridge => {
  if (snapshot.execution.type === "mcp-bridge") return snapshot.execution
  throw ApplicationFailure.nonRetryable(`profile ${snapshot.agent} is not a bridge`, "internal_error")
}

/** Every server is asked only when the tool is not there, for the names that come near. */
const notFound = async (deps: AgentDependencies, snapshot: RunSnapshot, name: string): Promise<RunCallEnd> => {
  const { tools } = await deps.mcp.tools(snapshot, ["*"])
  const names = tools.map((tool) => tool.name)
  const near = suggest(name, names)
  const hint =
    near.length > 0
      ? ` (did you mean ${near.join(" or ")}?)`
      : `; there is: ${names.slice(0, 20).join(", ") || "none"}${names.length > 20 ? ", …" : ""}`
  return failed({ code: "tool_not_found", message: `tool not found: ${name}${hint}` })
}

const findTool = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, name }: { readonly snapshot: RunSnapshot; readonly name: string },
): Promise<Tool | RunCallEnd> => {
  const { tools, down, changed } = await deps.mcp.tools(snapshot, [name])
  await reportChangedTools(deps, input, changed)
  const tool = tools.find((candidate) => candidate.name === name)
  if (tool !== undefined) return tool
  const server = down.find((one) => one.server === mcpServerOf(name))
  return server === undefined
    ? notFound(deps, snapshot, name)
    : failed({ code: "mcp_unavailable", message: server.problem })
}

const execute = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, tool }: { readonly snapshot: RunSnapshot; readonly tool: Tool },
): Promise<RunCallEnd | { readonly question: ToolQuestion }> => {
  const { mcpTool, timeoutMs } = bridgeOf(snapshot)
  const parsed = await toolInput(tool, (await loadCall(deps.store, input)).arguments)
  if ("problem" in parsed)
    return failed({
      code: "invalid_argument",
      message: `the arguments do not fit the schema of ${mcpTool}: ${parsed.problem}; look at agents.${snapshot.agent}.mcpToolInput`,
    })
  const answered = await loadAnsweredQuestion(deps.store, input)
  const context = await toolContext(deps, input, { snapshot, name: mcpTool })
  const limit = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([callSignal(), limit])
  try {
    const result = await tool.execute(parsed.input, {
      ...context,
      signal,
      ...(answered === undefined ? {} : { answered }),
    })
    if (result.question !== undefined) return { question: result.question }
    return result.isError === true
      ? failed({ code: "tool_failed", message: result.content })
      : completed(result.content)
  } catch (error) {
    if (callSignal().aborted) return failed({ code: "cancelled", message: `the call of ${mcpTool} was cancelled` })
    if (!limit.aborted) throw error
    return failed({
      stopReason: "timeout",
      code: "timeout",
      message: `${mcpTool} did not answer within ${timeoutMs} ms (agents.${snapshot.agent}.timeoutMs); whether it took effect is not known`,
    })
  }
}

/** Runs a bridge's tool for one run: at most once, unless the profile says that repeating it is safe. */
export const createCallBridge =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["callBridge"] =>
  (input) =>
    runCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      const { mcpTool, idempotent } = bridgeOf(snapshot)
      const toolFailed = (error: unknown): RunCallEnd => failed({ code: "tool_failed", message: errorMessage(error) })
      let found: Tool | RunCallEnd | undefined
      return runWork(deps, input, {
        name: mcpTool,
        idempotent,
        type: "mcp-bridge",
        async refusal(hasBegun) {
          found = await findTool(deps, input, { snapshot, name: mcpTool }).catch(toolFailed)
          return "execute" in found
            ? notMade(await judgeStart(deps, input, { snapshot, tool: found, hasBegun }))
            : undefined
        },
        async run() {
          if (found === undefined) throw new Error("a bridge calls a tool that was not looked for")
          const end =
            "execute" in found ? await execute(deps, input, { snapshot, tool: found }).catch(toolFailed) : found
          await deps.streamed.flush(input.sessionId)
          return end
        },
      })
    })
