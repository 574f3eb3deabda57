import { z } from "zod"
import type { AssistantMessage, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { ProposedCall } from "../../domain/run/tool-batch.ts"
import { mcpServerOf } from "../../domain/tools/tool-names.ts"
import { dispositionOf, runToolPolicy } from "../../domain/approval/tool-policy.ts"
import type { FoundMcpTools } from "../../mcp-client/mcp-servers.ts"
import type { Sandbox } from "../../tools/sandbox/sandbox.ts"
import type { Tool } from "../../tools/tool.ts"
import { delegationOf } from "./offered-delegation.ts"
import { finishInputSchema } from "./offered-tools.ts"

const maxCallsPerStep = 64
const previewCharacters = 200

export interface CallSurroundings {
  readonly snapshot: RunSnapshot
  /** The tools that the run was offered. */
  readonly tools: readonly Tool[]
  /** MCP servers that do not answer. */
  readonly down: FoundMcpTools["down"]
  readonly sandbox: Pick<Sandbox, "confined" | "reason">
}

const invalid = (call: ToolCall, problem: string): ProposedCall => ({
  ...base(call),
  kind: "invalid",
  disposition: "auto",
  readOnly: true,
  idempotent: true,
  problem,
})

const base = (call: ToolCall) => ({
  id: call.id,
  name: call.name,
  preview: (call.raw_arguments ?? JSON.stringify(call.arguments)).slice(0, previewCharacters),
})

const argumentProblem = (call: ToolCall, schema: z.ZodType): string | undefined => {
  if (call.arguments === null)
    return `the arguments of ${call.name} are not valid JSON: send them again as one JSON object`
  const parsed = schema.safeParse(call.arguments)
  return parsed.success ? undefined : `the arguments of ${call.name} do not fit: ${z.prettifyError(parsed.error)}`
}

/** Only Bash runs processes: confined it is free in a sandboxed session, unconfined it asks wherever policy applies. */
const bashDisposition = (tool: Tool, { snapshot, sandbox }: CallSurroundings): ProposedCall["disposition"] => {
  const disposition = dispositionOf(tool, snapshot)
  const mode = runToolPolicy(tool, snapshot)
  if (sandbox.confined) return snapshot.sandboxed && mode !== "never" ? "auto" : disposition
  return disposition === "auto" && snapshot.approval !== "all" && !namedByHand(tool, snapshot) ? "prompt" : disposition
}

const namedByHand = (tool: Tool, { approval }: RunSnapshot): boolean =>
  Array.isArray(approval) && approval.includes(tool.name)

const classifyTool = (call: ToolCall, tool: Tool, surroundings: CallSurroundings): ProposedCall => {
  const problem = argumentProblem(call, tool.input)
  if (problem !== undefined) return invalid(call, problem)
  const { snapshot, sandbox } = surroundings
  const runsProcesses = tool.name === "Bash"
  if (runsProcesses && !sandbox.confined && (snapshot.sandboxed || snapshot.sandbox === "require"))
    return invalid(
      call,
      `Bash may only run in a sandbox here, and there is none: ${sandbox.reason ?? "unknown reason"}`,
    )
  const disposition = runsProcesses ? bashDisposition(tool, surroundings) : dispositionOf(tool, snapshot)
  return {
    ...base(call),
    kind: "tool",
    disposition,
    readOnly: tool.readOnly,
    idempotent: tool.idempotent,
    ...(tool.quick === true && tool.readOnly && tool.idempotent ? { quick: true } : {}),
    ...(disposition === "refuse" ? { problem: `policy never allows ${tool.name}` } : {}),
  }
}

/** What does not fit is answered with the family's own errors, so only text that is no JSON is caught here. */
const classifyDelegation = (call: ToolCall, snapshot: RunSnapshot): ProposedCall => {
  if (call.arguments === null)
    return invalid(call, argumentProblem(call, z.unknown()) ?? "the arguments are not valid JSON")
  const disposition = dispositionOf({ name: call.name, readOnly: false }, snapshot)
  return {
    ...base(call),
    kind: "delegation",
    disposition,
    // They begin one after another anyway, and wait side by side.
    readOnly: true,
    idempotent: false,
    ...(disposition === "refuse" ? { problem: `policy never allows ${call.name}` } : {}),
  }
}

const classify = (call: ToolCall, surroundings: CallSurroundings): ProposedCall => {
  if (call.name === "finish" && surroundings.snapshot.pauseOnText) {
    const problem = argumentProblem(call, finishInputSchema)
    if (problem !== undefined) return invalid(call, problem)
    return { ...base(call), kind: "finish", disposition: "auto", readOnly: true, idempotent: true }
  }
  if (delegationOf(surroundings.snapshot).some(({ name }) => name === call.name))
    return classifyDelegation(call, surroundings.snapshot)
  const tool = surroundings.tools.find((candidate) => candidate.name === call.name)
  if (tool !== undefined) return classifyTool(call, tool, surroundings)
  const server = mcpServerOf(call.name)
  const down = surroundings.down.find((one) => one.server === server)
  if (down !== undefined) return invalid(call, `${down.problem}. Go on without ${call.name}, or try again later.`)
  const names = surroundings.tools.map(({ name }) => name)
  return invalid(
    call,
    `there is no tool ${call.name}${didYouMean(call.name, names)}; tools: ${names.join(", ") || "none"}`,
  )
}

/** What the workflow has to know of each call that the model proposed. What cannot run becomes data that the model can act on. */
export const classifyCalls = (message: AssistantMessage, surroundings: CallSurroundings): readonly ProposedCall[] => {
  const calls = message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []))
  return calls.map((call, index) =>
    index < maxCallsPerStep
      ? classify(call, surroundings)
      : invalid(call, `too many calls in one step: at most ${maxCallsPerStep}`),
  )
}
