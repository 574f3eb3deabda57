import { z } from "zod"
import type { AssistantMessage, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { jsonProblem } from "../../domain/text/json/json-problem.ts"
import { breaksOff } from "../../domain/text/json/parse-json.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import { hasToolHooks } from "../../domain/run/hook-event.ts"
import { endProblem } from "../../domain/run/answer-end.ts"
import { judgedFields, type ProposedCall } from "../../domain/calls/tool-batch.ts"
import { callToolName, mcpServerOf, mergeToolName } from "../../domain/tools/tool-names.ts"
import { callToolInputSchema } from "./offer/search-tools.ts"
import { type CallFacts, type ChangeFacts, type Decided, gate, type Verdict } from "../../domain/approval/gate.ts"
import type { ApprovalsOfCall } from "../../domain/people/right-to-decide.ts"
import type { Confinement } from "../../domain/approval/process-sandbox.ts"
import type { FoundMcpTools } from "../../mcp-client/mcp-servers.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Judged } from "../approval/call-facts.ts"
import { callHash } from "../approval/call-claim.ts"
import { refusalCode, refusalText } from "../approval/audit-refusal.ts"
import { toolInput } from "./argument-problems.ts"
import { delegationOf } from "./offer/offered-delegation.ts"
import { finishInputSchema, finishValueSchema } from "./offer/finish-tool.ts"
import { resultProblem } from "../../sessions/result/check-result.ts"
import { readFinishResult } from "../../domain/transcript/read-result.ts"
import { resultNotice } from "../../domain/prompts/result-guidance.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { callPreview } from "../../domain/text/preview.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxCallsPerStep = 64
/** Longer than the name of any tool. */
const maxNameCharacters = 256

export interface CallSurroundings {
  readonly snapshot: RunSnapshot
  /** The tools that the run can call, whether or not they are in its list. */
  readonly tools: readonly Tool[]
  /** Returns the names of the tools of MCP servers in the run's list. */
  readonly listedNames: () => Promise<readonly string[]>
  /** Returns the names of what else the run was offered: its delegation tools, and those with which it searches and ends. */
  readonly otherNames: () => Promise<readonly string[]>
  /** MCP servers that do not answer. */
  readonly down: FoundMcpTools["down"]
  readonly redact: Redact
  /** Collects the facts about a call on this worker. */
  readonly factsOf: (call: Judged) => Promise<CallFacts>
  /** Who has decided on the call. Default: nobody. */
  readonly decided?: Decided
  /** Which people have approved it, where a rule asks for that. */
  readonly approvals?: ApprovalsOfCall
  /** Returns the id of a grant that covers a call; absent where grants do not count. */
  readonly grantFor?: (call: ToolCall, opens: Confinement["opens"]) => Promise<string | undefined>
  /** Returns what a call of `sessions_merge` would merge, or why it cannot; absent where nothing can be merged. */
  readonly mergeFor?: (call: ToolCall) => Promise<{ readonly change: ChangeFacts } | { readonly problem: string }>
}

/** A classified call. A call that cannot run, or that ends the run, has no verdict. */
export interface Classified {
  readonly proposed: ProposedCall
  readonly verdict?: Verdict
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
  name: startOf(call.name, maxNameCharacters),
  hash: callHash(call).slice(0, 16),
  // Whole here: `shown` redacts it before it cuts it.
  preview: call.raw_arguments ?? JSON.stringify(call.arguments),
})

/** Returns why the text of a call's arguments is not an object. */
const argumentsTextProblem = ({ name, raw_arguments: text = "" }: ToolCall): string => {
  const problem = jsonProblem(text)
  if (problem === undefined) return `the arguments of ${name} are JSON, but not an object: send one JSON object`
  const place = breaksOff(text) ? "the text ends inside of it" : `character ${problem.offset + 1}: ${problem.message}`
  return `the arguments of ${name} are not valid JSON (${place}): send them again as one JSON object`
}

const parseArguments = async (
  call: ToolCall,
  tool: Pick<Tool, "input" | "inputProblem">,
): Promise<{ readonly input: unknown } | { readonly problem: string }> => {
  if (call.arguments === null) return { problem: argumentsTextProblem(call) }
  const parsed = await toolInput(tool, call.arguments)
  return "problem" in parsed ? { problem: `the arguments of ${call.name} do not fit: ${parsed.problem}` } : parsed
}

const argumentProblem = async (call: ToolCall, input: z.ZodType): Promise<string | undefined> => {
  const parsed = await parseArguments(call, { input })
  return "problem" in parsed ? parsed.problem : undefined
}

interface JudgedCall {
  readonly verdict: Verdict
  readonly facts: CallFacts
  readonly grantId?: string
}

/** A grant can replace a person's answer. It also lets a call run in a run that asks nobody, where the gate refuses for want of an approval. */
const canBeGranted = (verdict: Verdict): boolean =>
  verdict.verdict === "ask" || (verdict.verdict === "refuse" && verdict.why.about === "approval")

/** Asks the gate about a call, and again with a grant that covers it if it would have to be asked about. */
const judge = async (
  call: ToolCall,
  judged: Judged,
  { factsOf, decided, approvals, grantFor }: CallSurroundings,
): Promise<JudgedCall> => {
  const facts = await factsOf({
    ...judged,
    arguments: call.arguments,
    ...(decided === undefined ? {} : { decided }),
    ...(approvals === undefined ? {} : { approvals }),
  })
  const verdict = gate(facts)
  const grantId = canBeGranted(verdict) ? await grantFor?.(call, facts.process?.opens) : undefined
  if (grantId === undefined) return { verdict, facts }
  const granted = gate({ ...facts, grant: { id: grantId, covers: true } })
  return granted.verdict === "run" ? { verdict: granted, facts, grantId } : { verdict, facts }
}

/** Returns whether a refusal is told to the model as a rejection, as if a person had rejected the call. Any other refusal is told as an error. */
const isRejection = (verdict: Verdict): boolean =>
  verdict.verdict === "refuse" && (verdict.why.about === "policy" || verdict.why.about === "protected")

/** Returns a call as the gate judged it. */
const classified = (
  call: ToolCall,
  { verdict, facts, grantId }: JudgedCall,
  fields: Pick<ProposedCall, "kind" | "readOnly" | "idempotent" | "quick">,
): Classified => {
  if (verdict.verdict === "refuse" && !isRejection(verdict)) {
    const code = refusalCode(verdict.why)
    const refused = invalid(call, refusalText({ code, text: verdict.why.text }))
    return { proposed: { ...refused, disposition: "refuse", code }, verdict }
  }
  const proposed = {
    ...base(call),
    ...fields,
    ...judgedFields(verdict, facts),
    ...(grantId === undefined ? {} : { grantId }),
  }
  return { proposed, verdict }
}

const classifyTool = async (call: ToolCall, tool: Tool, surroundings: CallSurroundings): Promise<Classified> => {
  const parsed = await parseArguments(call, tool)
  if ("problem" in parsed) return { proposed: invalid(call, parsed.problem) }
  const judged = await judge(call, { tool, writes: tool.writes?.(parsed.input) ?? [] }, surroundings)
  return classified(call, judged, {
    kind: "tool",
    readOnly: tool.readOnly,
    idempotent: tool.idempotent,
    ...(tool.quick === true && tool.readOnly && tool.idempotent && !hasToolHooks(surroundings.snapshot, tool.name)
      ? { quick: true }
      : {}),
  })
}

/** Only arguments that are no JSON are refused here. The tool itself checks the rest, because each family of delegation tools has its own errors. */
const classifyDelegation = async (call: ToolCall, surroundings: CallSurroundings): Promise<Classified> => {
  const problem = call.arguments === null ? await argumentProblem(call, z.unknown()) : undefined
  if (problem !== undefined) return { proposed: invalid(call, problem) }
  const judged = await judge(call, { tool: { name: call.name, readOnly: false } }, surroundings)
  // As read-only calls they run side by side: each starts its sub-agent in turn, and all wait together.
  return classified(call, judged, { kind: "delegation", readOnly: true, idempotent: false })
}

/** Merging changes files, as Write does: it waits for approval by default, and runs alone. */
const classifyMerge = async (call: ToolCall, surroundings: CallSurroundings): Promise<Classified> => {
  const facts = (await surroundings.mergeFor?.(call)) ?? { problem: "there is nothing to merge here" }
  if ("problem" in facts) return { proposed: invalid(call, facts.problem) }
  const judged = await judge(call, { tool: { name: call.name, readOnly: false }, change: facts.change }, surroundings)
  return classified(call, judged, { kind: "delegation", readOnly: false, idempotent: false })
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
export const classifyCall = async (call: ToolCall, surroundings: CallSurroundings): Promise<Classified> => {
  const { snapshot } = surroundings
  const refused = (problem: string): Classified => ({ proposed: invalid(call, problem) })
  if (call.name === "finish" && (snapshot.pauseOnText || snapshot.outputSchema !== undefined)) {
    const problem = await finishProblem(call, snapshot)
    if (problem !== undefined) return refused(problem)
    return { proposed: { ...base(call), kind: "finish", disposition: "auto", readOnly: true, idempotent: true } }
  }
  if (delegationOf(surroundings.snapshot).some(({ name }) => name === call.name))
    return call.name === mergeToolName ? classifyMerge(call, surroundings) : classifyDelegation(call, surroundings)
  const tool = surroundings.tools.find((candidate) => candidate.name === call.name)
  if (tool !== undefined) return classifyTool(call, tool, surroundings)
  const server = mcpServerOf(call.name)
  const down = surroundings.down.find((one) => one.server === server)
  if (down !== undefined) return refused(`${down.problem}; continue without ${call.name}, or try again later`)
  if (call.name === callToolName) return refused(await callToolProblem(call))
  return refused(await unknownTool(call.name, surroundings))
}

/** Returns why a call of `call_tool` calls no tool. */
const callToolProblem = async (call: ToolCall): Promise<string> =>
  (await argumentProblem(call, callToolInputSchema)) ?? `${callToolName} calls other tools: name one of them`

/** Returns what a model is told of a tool that the run does not have, or no longer has. */
const unknownTool = async (name: string, surroundings: CallSurroundings): Promise<string> => {
  const listed = await surroundings.listedNames()
  if (listed.includes(name))
    return `MCP server ${mcpServerOf(name)} no longer has the tool ${name}: continue without it`
  const names = [...new Set([...surroundings.tools.map((tool) => tool.name), ...(await surroundings.otherNames())])]
  const shown = names.filter((each) => mcpServerOf(each) === undefined || listed.includes(each))
  return `there is no tool ${startOf(name, maxNameCharacters)}${didYouMean(name, names)}; tools: ${shown.join(", ") || "none"}`
}

/** Removes secrets from what enters history and is shown. The arguments themselves remain as the model wrote them. */
const shown = (call: ProposedCall, redact: Redact): ProposedCall => ({
  ...call,
  preview: callPreview(redact(call.preview)),
  ...(call.problem === undefined ? {} : { problem: redact(call.problem) }),
})

/** Refuses a call of an answer that did not end normally: its arguments may be cut. Returns undefined if the gate lets it through. */
const ofCutAnswer = async (
  call: ToolCall,
  problem: string,
  { factsOf }: CallSurroundings,
): Promise<ProposedCall | undefined> => {
  const verdict = gate(await factsOf({ tool: { name: call.name, readOnly: false }, endProblem: problem }))
  return verdict.verdict === "refuse" ? invalid(call, verdict.why.text) : undefined
}

/**
 * Returns what the workflow needs to know about each proposed call. A call that cannot run becomes data that the model can act on. `problem`: why no call of
 * the answer runs; default: it did not end normally.
 */
export const classifyCalls = async (
  message: AssistantMessage,
  surroundings: CallSurroundings,
  problem: string | undefined = endProblem(message),
): Promise<readonly ProposedCall[]> => {
  const calls = await Promise.all(
    toolCallsOf(message).map(async (call, index) => {
      const refused = problem === undefined ? undefined : await ofCutAnswer(call, problem, surroundings)
      if (refused !== undefined) return refused
      return index < maxCallsPerStep
        ? (await classifyCall(call, surroundings)).proposed
        : invalid(call, `too many calls in one step: at most ${maxCallsPerStep}`)
    }),
  )
  return calls.map((call) => shown(call, surroundings.redact))
}
