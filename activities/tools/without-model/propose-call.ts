import { ApplicationFailure } from "@temporalio/activity"
import type { Execution, RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { gate } from "../../../domain/approval/gate.ts"
import { dependsOnReadOnly } from "../../../domain/approval/tool-verdicts.ts"
import { noUsage } from "../../../domain/limits/usage-totals.ts"
import { programName } from "../../../domain/approval/process-sandbox.ts"
import { judgedFields, type ProposedCall } from "../../../domain/calls/tool-batch.ts"
import { fillBridgeTemplate, type FilledTemplate, parseBridgeTemplate } from "../../../domain/tools/bridge-template.ts"
import { activityFence, patchOwnRun } from "../../transcript/activity-fence.ts"
import type { ProposeCallInput, ProposeCallResult, RunStoreActivities } from "../../contract/agent-activities.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import { auditRefusal, refusalCode } from "../../approval/audit-refusal.ts"
import { collectFacts } from "../../approval/call-facts.ts"
import { appendRows } from "../../transcript/append-rows.ts"
import { commandToolName } from "./command-tool.ts"
import { type Instruction, instructionOf } from "../../transcript/instruction-of.ts"
import { proposedOrdinal } from "../../../domain/run/run-event-ordinals.ts"
import { agentMessage } from "./answer-row.ts"
import { writeOutbox } from "../../transcript/write-outbox.ts"
import { callPreview } from "../../../domain/text/preview.ts"

const callId = "call_1"
/** The stop reason of a model's answer that proposes calls; the answer that is made here has it, too. */
const proposedStop = "tool_calls"

type Proposal =
  | {
      readonly name: string
      readonly args: Readonly<Record<string, unknown>>
      /** As policy sees it. */
      readonly readOnly: boolean
      readonly idempotent: boolean
    }
  | { readonly problem: { readonly code: string; readonly message: string } }

/** The arguments of a bridge's call: its template filled in, or the instruction as it is. */
const bridgeArguments = (
  { mcpToolInput }: Extract<Execution, { type: "mcp-bridge" }>,
  instruction: Instruction,
): FilledTemplate => {
  if (mcpToolInput === undefined) return { ok: true, args: { ...instruction } }
  const parsed = parseBridgeTemplate(mcpToolInput)
  return parsed.ok ? fillBridgeTemplate(parsed.template, instruction) : parsed
}

/** Returns whether the server calls a bridge's tool read-only. The server is asked only if that decides whether a person is asked. */
const isReadOnly = async (deps: AgentDependencies, snapshot: RunSnapshot, name: string): Promise<boolean> => {
  if (!dependsOnReadOnly(name, snapshot)) return false
  const { tools } = await deps.mcp.tools(snapshot, [name])
  return tools.find((tool) => tool.name === name)?.readOnly === true
}

const proposalOf = async (
  deps: AgentDependencies,
  snapshot: RunSnapshot,
  instruction: Instruction,
): Promise<Proposal> => {
  const { execution } = snapshot
  switch (execution.type) {
    case "binary":
      return {
        name: programName(snapshot.agent),
        args: { command: execution.command, args: execution.args, ...instruction },
        readOnly: false,
        idempotent: execution.idempotent,
      }
    case "mcp-bridge": {
      const filled = bridgeArguments(execution, instruction)
      if (!filled.ok)
        return {
          problem: { code: "invalid_argument", message: `agents.${snapshot.agent}.mcpToolInput: ${filled.problem}` },
        }
      return {
        name: execution.mcpTool,
        args: filled.args,
        readOnly: await isReadOnly(deps, snapshot, execution.mcpTool),
        idempotent: execution.idempotent,
      }
    }
    case "command":
      return { name: commandToolName, args: { command: instruction.task }, readOnly: false, idempotent: false }
    case "llm":
      throw ApplicationFailure.nonRetryable("a model proposes its calls itself", "internal_error")
  }
}

const record = async (
  deps: AgentDependencies,
  input: ProposeCallInput,
  snapshot: RunSnapshot,
  call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
): Promise<void> => {
  const { store } = deps
  const { sessionId, runId, assistantSeq: seq } = input
  const proposed = { id: callId, name: call.name, arguments: { ...call.args } }
  const message = agentMessage(snapshot, [{ type: "tool_call", call: proposed }], proposedStop)
  const row = { seq, runId, step: 0, message, fence: activityFence() }
  await store.transaction(async (writes) => {
    // A later attempt has written the call already, and the transcript continues after that one.
    if (!(await writes.messages.put(sessionId, row))) return
    await writes.events.append(sessionId, [
      {
        type: "tool-calls-proposed",
        runId,
        ordinal: proposedOrdinal(0),
        data: { step: 0, seq },
        messageSeq: seq,
      },
    ])
    await patchOwnRun(writes, { sessionId, runId, session: { headSeq: seq + 1 } })
  })
}

/** Writes the instruction of a run without a model and the one call that it makes, and returns it as a model's answer that proposes the call. */
export const createProposeCall =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): RunStoreActivities["proposeCall"] =>
  async (input): Promise<ProposeCallResult> => {
    const { store } = deps
    const snapshot = await snapshotOf(input.snapshotHash)
    await appendRows(store, input, { step: 0, items: input.append })
    await writeOutbox(store, input, input.outbox)
    const session = await store.sessions.get(input.sessionId)
    const run = { ...input, headSeq: input.assistantSeq - 1, context: snapshot.context }
    const proposal = await proposalOf(deps, snapshot, await instructionOf(store, session ?? { metadata: {} }, run))
    if ("problem" in proposal) return { kind: "failed", error: proposal.problem }
    const { name, args, idempotent } = proposal
    const facts = await collectFacts(deps, snapshot, { tool: proposal })
    const verdict = gate(facts)
    if (verdict.verdict === "refuse" && verdict.why.about !== "policy") {
      const error = { code: refusalCode(verdict.why), message: verdict.why.text }
      await auditRefusal(store, { ...input, callId, name, reason: error.message, code: error.code })
      return { kind: "failed", error }
    }
    await record(deps, input, snapshot, { name, args })
    const call: ProposedCall = {
      id: callId,
      name,
      kind: "tool",
      readOnly: false,
      idempotent,
      preview: callPreview(deps.redact(JSON.stringify(args))),
      ...judgedFields(verdict, { change: facts.change, rule: facts.rule }),
    }
    return { kind: "answer", stop: proposedStop, calls: [call], hasText: false, preview: "", usage: noUsage }
  }
