import { z } from "zod"
import type { AssistantMessage, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import { endProblem } from "../../domain/run/answer-end.ts"
import { type ProposedCall, refusal } from "../../domain/run/tool-batch.ts"
import { mcpServerOf, mergeToolName } from "../../domain/tools/tool-names.ts"
import { dispositionByPolicy, dispositionOf, mayBeGranted } from "../../domain/approval/disposition.ts"
import { refusedByFloor, type WorkerFloor } from "../../domain/approval/worker-floor.ts"
import type { FoundMcpTools } from "../../mcp-client/mcp-servers.ts"
import type { Sandbox } from "../../tools/sandbox/sandbox.ts"
import type { Tool } from "../../tools/tool.ts"
import { toolInput } from "./argument-problems.ts"
import { delegationOf } from "./offered-delegation.ts"
import { finishInputSchema, finishValueSchema } from "./offered-tools.ts"
import { resultProblem } from "../../sessions/result/check-result.ts"
import { readFinishResult } from "../../domain/transcript/read-result.ts"
import { resultNotice } from "../../domain/prompts/result-guidance.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { callPreview } from "../../domain/text/preview.ts"

const maxCallsPerStep = 64
/** Longer than the name of any tool. */
const maxNameCharacters = 256

export interface CallSurroundings {
  readonly snapshot: RunSnapshot
  /** The tools that the run was offered. */
  readonly tools: readonly Tool[]
  /** MCP servers that do not answer. */
  readonly down: FoundMcpTools["down"]
  readonly sandbox: Pick<Sandbox, "confined" | "reason">
  readonly redact: Redact
  /** What the worker's configuration demands of every run. */
  readonly floor?: WorkerFloor | undefined
  /** Returns the id of a grant that covers a call; absent where grants do not count. */
  readonly grantFor?: (call: ToolCall) => Promise<string | undefined>
  /** Returns what a call of `sessions_merge` would merge, or why it cannot; absent where nothing can be merged. */
  readonly mergeFor?: (
    call: ToolCall,
  ) => Promise<{ readonly changed: string | undefined } | { readonly problem: string }>
  /** Returns the protected path that a call would change; undefined if it changes none. */
  readonly protectedChange: (path: string) => Promise<string | undefined>
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
  name: call.name.slice(0, maxNameCharacters),
  // Whole here: `shown` redacts it before it cuts it.
  preview: call.raw_arguments ?? JSON.stringify(call.arguments),
})

const parseArguments = async (
  call: ToolCall,
  tool: Pick<Tool, "input" | "inputProblem">,
): Promise<{ readonly input: unknown } | { readonly problem: string }> => {
  if (call.arguments === null)
    return { problem: `the arguments of ${call.name} are not valid JSON: send them again as one JSON object` }
  const parsed = await toolInput(tool, call.arguments)
  return "problem" in parsed ? { problem: `the arguments of ${call.name} do not fit: ${parsed.problem}` } : parsed
}

const argumentProblem = async (call: ToolCall, input: z.ZodType): Promise<string | undefined> => {
  const parsed = await parseArguments(call, { input })
  return "problem" in parsed ? parsed.problem : undefined
}

const firstProtected = async (
  paths: readonly string[],
  { protectedChange }: Pick<CallSurroundings, "protectedChange">,
): Promise<string | undefined> => (await Promise.all(paths.map(protectedChange))).find((path) => path !== undefined)

const classifyTool = async (call: ToolCall, tool: Tool, surroundings: CallSurroundings): Promise<ProposedCall> => {
  const parsed = await parseArguments(call, tool)
  if ("problem" in parsed) return invalid(call, parsed.problem)
  const { snapshot, sandbox, floor } = surroundings
  const refused = refusedByFloor(tool.name, snapshot, floor)
  if (refused !== undefined) return invalid(call, refused)
  const changed = await firstProtected(tool.writes?.(parsed.input) ?? [], surroundings)
  const isProtected = changed !== undefined
  const disposition = dispositionOf({ ...tool, isProtected }, snapshot, sandbox.confined)
  if (disposition === "unconfined")
    return invalid(
      call,
      `${tool.name} may only run in a sandbox here, and there is none: ${sandbox.reason ?? "unknown reason"}`,
    )
  const grantId =
    disposition === "prompt" && mayBeGranted({ ...tool, isProtected }, snapshot, sandbox.confined)
      ? await surroundings.grantFor?.(call)
      : undefined
  return {
    ...base(call),
    kind: "tool",
    disposition: grantId === undefined ? disposition : "auto",
    ...(grantId === undefined ? {} : { grantId }),
    readOnly: tool.readOnly,
    idempotent: tool.idempotent,
    ...(tool.quick === true && tool.readOnly && tool.idempotent ? { quick: true } : {}),
    ...(isProtected ? { isProtected } : {}),
    ...refusal(disposition, tool.name, changed),
  }
}

/** What does not fit is answered with the family's own errors, so only text that is no JSON is caught here. */
const classifyDelegation = async (call: ToolCall, { snapshot, floor }: CallSurroundings): Promise<ProposedCall> => {
  const refused = refusedByFloor(call.name, snapshot, floor)
  if (refused !== undefined) return invalid(call, refused)
  if (call.arguments === null)
    return invalid(call, (await argumentProblem(call, z.unknown())) ?? "the arguments are not valid JSON")
  const disposition = dispositionByPolicy({ name: call.name, readOnly: false }, snapshot)
  return {
    ...base(call),
    kind: "delegation",
    disposition,
    // They begin one after another anyway, and wait side by side.
    readOnly: true,
    idempotent: false,
    ...refusal(disposition, call.name),
  }
}

/** Merging changes files, as Write does: it waits for approval by default, and runs alone. */
const classifyMerge = async (
  call: ToolCall,
  { snapshot, floor, mergeFor }: CallSurroundings,
): Promise<ProposedCall> => {
  const refused = refusedByFloor(call.name, snapshot, floor)
  if (refused !== undefined) return invalid(call, refused)
  const facts = (await mergeFor?.(call)) ?? { problem: "there is nothing to merge here" }
  if ("problem" in facts) return invalid(call, facts.problem)
  const isProtected = facts.changed !== undefined
  const disposition = dispositionByPolicy({ name: call.name, readOnly: false, isProtected }, snapshot)
  return {
    ...base(call),
    kind: "delegation",
    disposition,
    readOnly: false,
    idempotent: false,
    ...(isProtected ? { isProtected } : {}),
    ...refusal(disposition, call.name, facts.changed),
  }
}

/** Returns why a `finish` call cannot end the run: its arguments do not fit, or its result does not validate. */
const finishProblem = async (call: ToolCall, snapshot: RunSnapshot): Promise<string | undefined> => {
  if (snapshot.outputSchema === undefined) return argumentProblem(call, finishInputSchema)
  const parsed = await parseArguments(call, { input: finishValueSchema })
  if ("problem" in parsed) return parsed.problem
  const problem = await resultProblem(snapshot, readFinishResult(call.arguments?.["result"]))
  return problem === undefined ? undefined : resultNotice(problem)
}

/** Returns what the workflow needs to know about one call of a model. Its texts are not redacted. */
export const classifyCall = async (call: ToolCall, surroundings: CallSurroundings): Promise<ProposedCall> => {
  const { snapshot } = surroundings
  if (call.name === "finish" && (snapshot.pauseOnText || snapshot.outputSchema !== undefined)) {
    const problem = await finishProblem(call, snapshot)
    if (problem !== undefined) return invalid(call, problem)
    return { ...base(call), kind: "finish", disposition: "auto", readOnly: true, idempotent: true }
  }
  if (delegationOf(surroundings.snapshot).some(({ name }) => name === call.name))
    return call.name === mergeToolName ? classifyMerge(call, surroundings) : classifyDelegation(call, surroundings)
  const tool = surroundings.tools.find((candidate) => candidate.name === call.name)
  if (tool !== undefined) return classifyTool(call, tool, surroundings)
  const server = mcpServerOf(call.name)
  const down = surroundings.down.find((one) => one.server === server)
  if (down !== undefined) return invalid(call, `${down.problem}; continue without ${call.name}, or try again later`)
  const names = surroundings.tools.map(({ name }) => name)
  return invalid(
    call,
    `there is no tool ${call.name.slice(0, maxNameCharacters)}${didYouMean(call.name, names)}; tools: ${names.join(", ") || "none"}`,
  )
}

/** Removes secrets from what enters history and is shown. The arguments themselves remain as the model wrote them. */
const shown = (call: ProposedCall, redact: Redact): ProposedCall => ({
  ...call,
  preview: callPreview(redact(call.preview)),
  ...(call.problem === undefined ? {} : { problem: redact(call.problem) }),
})

/** Returns what the workflow needs to know about each proposed call. A call that cannot run becomes data that the model can act on. */
export const classifyCalls = async (
  message: AssistantMessage,
  surroundings: CallSurroundings,
): Promise<readonly ProposedCall[]> => {
  const problem = endProblem(message)
  const calls = await Promise.all(
    toolCallsOf(message).map(async (call, index) => {
      if (problem !== undefined) return invalid(call, problem)
      return index < maxCallsPerStep
        ? classifyCall(call, surroundings)
        : invalid(call, `too many calls in one step: at most ${maxCallsPerStep}`)
    }),
  )
  return calls.map((call) => shown(call, surroundings.redact))
}
