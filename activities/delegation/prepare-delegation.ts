import { ApplicationFailure } from "@temporalio/activity"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { auditRefusal, refusalCode } from "../approval/audit-refusal.ts"
import { askedAgain, judgeStart } from "../approval/call-facts.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { Outbox } from "../contract/agent-activities.ts"
import type { DelegationActivities, PrepareDelegationInput } from "../contract/delegation-activities.ts"
import { budgetAfterReset } from "../limits/reset-spending.ts"
import { writeOutbox } from "../transcript/write-outbox.ts"
import { agentSubAgents } from "./agent-sub-agents.ts"
import { type DelegationCall, type DelegationOutcome, immediate } from "./delegation-call.ts"
import { earlierResult, hasTakenEffect } from "./earlier-attempt.ts"
import { DelegationRefusal } from "../../domain/delegation/delegation-refusal.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import { toolHandlers } from "../../sessions/delegation-tools/tool-handlers.ts"
import { noteReported } from "../transcript/note-reported.ts"
import { withFormerKey } from "./spawn/create-child.ts"
import { resumedChildren } from "./resumed-children.ts"
import { writeDelegationAnswer } from "./write-delegation-answer.ts"
import { mergeChanges } from "./merge-changes.ts"
import { readEditNote, withEditNote } from "../../domain/calls/edit-note.ts"
import { loadProposed } from "../tools/load-call.ts"

/**
 * Returns what becomes of a call that the gate does not let run here: it is refused, or asked about again. The worker that classified the call may have
 * had another configuration, and so may one that made an earlier attempt: what that attempt did is not denied.
 */
const notMade = async (delegation: DelegationCall): Promise<DelegationOutcome | undefined> => {
  const { deps, input, snapshot, call, endProblem } = delegation
  const judged = await judgeStart(deps, input, {
    ...{ snapshot, endProblem, hasBegun: false },
    tool: { name: call.name, readOnly: false },
  })
  const { verdict } = judged
  if (verdict.verdict === "run") return undefined
  const before = await earlierResult(delegation)
  if (before?.outcome === "error")
    return { content: readEditNote(before.content)?.content ?? before.content, isError: true }
  if (before !== undefined || (await hasTakenEffect(delegation, verdict))) return undefined
  if (verdict.verdict === "ask") return { kind: "changed", ...askedAgain(judged, verdict) }
  await auditRefusal(deps.store, {
    ...input,
    name: call.name,
    reason: verdict.why.text,
    code: refusalCode(verdict.why),
  })
  return { content: verdict.why.text, isError: true }
}

/** Merging is an agent's own: nobody else has sub-agents with worktrees. */
const merge = async (delegation: DelegationCall): Promise<DelegationOutcome> => {
  try {
    return await mergeChanges(delegation)
  } catch (error) {
    if (isAdjutantError(error) && error.code === "target_ambiguous")
      return { content: errorResult("VALIDATION_ERROR", error.message).text, isError: true }
    if (!(error instanceof DelegationRefusal)) throw error
    return { content: errorResult(error.code, error.message).text, isError: true }
  }
}

const handle = async (delegation: DelegationCall): Promise<DelegationOutcome> => {
  const { name, arguments: args } = delegation.call
  if (name === mergeToolName) return merge(delegation)
  const handler = toolHandlers[name]
  if (handler === undefined) return { content: `there is no tool ${name}`, isError: true }
  const reply = await handler(agentSubAgents(delegation), args)
  return reply.kind === "later" ? reply.later : immediate(name, reply.value)
}

/** Returns the outbox without the start of the call, which is asked about again. */
const withoutStart = ({ outbox, callId }: PrepareDelegationInput): Outbox => ({
  ...outbox,
  events: outbox.events.filter(({ type, data }) => type !== "tool-started" || data["call_id"] !== callId),
})

/** Creates the activity that answers one delegation call, or returns what the parent's workflow must do for it. */
export const createPrepareDelegation =
  (
    deps: AgentDependencies,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): DelegationActivities["prepareDelegation"] =>
  async (given) => {
    const input = { ...given, budgetLeft: await budgetAfterReset(deps.store, given, given.budgetLeft) }
    const session = await deps.store.sessions.get(input.sessionId)
    if (session === undefined)
      throw ApplicationFailure.nonRetryable(`session ${input.sessionId} is not in the store`, "session_not_found")
    const { call, endProblem } = await loadProposed(deps.store, input)
    const snapshot = await snapshotOf(input.snapshotHash)
    const delegation = await withFormerKey({ deps, input, call, endProblem, snapshot, session })
    const refused = await notMade(delegation)
    const isChanged = refused !== undefined && "kind" in refused && refused.kind === "changed"
    await writeOutbox(deps.store, input, isChanged ? withoutStart(input) : input.outbox)
    const outcome = refused ?? (await handle(delegation))
    if ("kind" in outcome)
      return outcome.kind === "wait" ? { ...outcome, resumed: await resumedChildren(deps, input, outcome) } : outcome
    await writeDelegationAnswer(deps.store, {
      scope: input,
      call,
      outcome: outcome.isError === true ? "error" : "ok",
      content: withEditNote(input, call, outcome.content),
    })
    for (const childId of outcome.reported ?? []) await noteReported(deps.store, childId)
    return { kind: "settled", reported: outcome.reported ?? [], silenced: outcome.silenced ?? [] }
  }
