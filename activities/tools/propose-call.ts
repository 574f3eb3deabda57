import { ApplicationFailure } from "@temporalio/activity"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { dispositionOf, runToolPolicy } from "../../domain/approval/tool-policy.ts"
import type { CallDisposition, ProposedCall } from "../../domain/run/tool-batch.ts"
import { activityFence } from "../run/activity-fence.ts"
import type { ProposeCallInput, ProposeCallResult, RecordActivities } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { appendRows } from "../run/append-rows.ts"
import { bridgeArguments } from "./bridge-arguments.ts"
import { type Instruction, instructionOf } from "./instruction-of.ts"
import { proposedOrdinal } from "../run/open-run.ts"
import { agentMessage } from "./run-result.ts"
import { writeOutbox } from "../run/write-outbox.ts"

const callId = "call_1"
const previewCharacters = 200

type Proposal =
  | {
      readonly name: string
      readonly args: Readonly<Record<string, unknown>>
      readonly disposition: CallDisposition
      readonly idempotent: boolean
    }
  | { readonly problem: { readonly code: string; readonly message: string } }

/** Inside a sandbox a program is as free as any other call that is confined there. */
const binaryDisposition = async (deps: AgentDependencies, snapshot: RunSnapshot): Promise<CallDisposition> => {
  const tool = { name: `binary:${snapshot.agent}`, readOnly: false }
  const mode = runToolPolicy(tool, snapshot)
  const isConfined = snapshot.sandboxed && (await deps.sandboxFor("auto")).confined
  return isConfined && mode !== "never" ? "auto" : dispositionOf(tool, snapshot)
}

/** The server is asked for what it says of its tool only where that makes a difference. */
const bridgeDisposition = async (
  deps: AgentDependencies,
  snapshot: RunSnapshot,
  name: string,
): Promise<CallDisposition> => {
  const careful = dispositionOf({ name, readOnly: false }, snapshot)
  if (careful === dispositionOf({ name, readOnly: true }, snapshot)) return careful
  const { tools } = await deps.mcp.tools(snapshot, [name])
  const readOnly = tools.find((tool) => tool.name === name)?.readOnly === true
  return dispositionOf({ name, readOnly }, snapshot)
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
        name: `binary:${snapshot.agent}`,
        args: { command: execution.command, args: execution.args, ...instruction },
        disposition: await binaryDisposition(deps, snapshot),
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
        disposition: await bridgeDisposition(deps, snapshot, execution.mcpTool),
        idempotent: execution.idempotent,
      }
    }
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
  const provider = snapshot.type === "binary" ? "binary" : "mcp-bridge"
  const proposed = { id: callId, name: call.name, arguments: { ...call.args } }
  const message = agentMessage(provider, [{ type: "tool_call", call: proposed }], "tool_calls")
  await store.messages.put(sessionId, { seq, runId, step: 0, message, fence: activityFence() })
  await store.events.append(sessionId, [
    {
      type: "tool-calls-proposed",
      runId,
      ordinal: proposedOrdinal(0),
      data: { step: 0, seq },
      messageSeq: seq,
    },
  ])
  await store.sessions.patch(sessionId, { headSeq: seq + 1 })
}

/** Writes the instruction of a run without a model and the one call that it makes, and says what policy makes of it. */
export const createProposeCall =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): RecordActivities["proposeCall"] =>
  async (input): Promise<ProposeCallResult> => {
    const { store } = deps
    const snapshot = await snapshotOf(input.snapshotHash)
    await appendRows(store, input, { step: 0, items: input.append })
    await writeOutbox(store, input, input.outbox)
    const session = await store.sessions.get(input.sessionId)
    const run = { ...input, headSeq: input.assistantSeq - 1 }
    const proposal = await proposalOf(deps, snapshot, await instructionOf(store, session ?? { metadata: {} }, run))
    if ("problem" in proposal) return { kind: "failed", error: proposal.problem }
    const { name, args, disposition, idempotent } = proposal
    await record(deps, input, snapshot, { name, args })
    const call: ProposedCall = {
      id: callId,
      name,
      kind: "tool",
      disposition,
      readOnly: false,
      idempotent,
      preview: deps.redact(JSON.stringify(args)).slice(0, previewCharacters),
      ...(disposition === "refuse" ? { problem: `policy never allows ${name}` } : {}),
    }
    return { kind: "call", call }
  }
