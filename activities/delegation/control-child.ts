import { createHash } from "node:crypto"
import { WorkflowNotFoundError } from "@temporalio/client"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision, Decide } from "../../contracts/approval/decision.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { gate } from "../../domain/approval/gate.ts"
import { ruleText } from "../../domain/people/approval-rule.ts"
import { mustBeConfined } from "../../domain/approval/process-sandbox.ts"
import { approvalField } from "../../domain/approval/narrow-approval.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import { wasRead } from "../../sessions/messages/was-read.ts"
import { signMessage } from "../../sessions/messages/sign-message.ts"
import { decisionRecord } from "../../sessions/decide/decision-record.ts"
import { decideAction, decideRefusedAction } from "../../sessions/pauses/pause-decisions.ts"
import { signDecision } from "../../sessions/decide/sign-decision.ts"
import { planRestart } from "../../sessions/settings/plan-child.ts"
import type { AuditRow, PauseRow, SessionRow } from "../../store/store.ts"
import { delegationKey, type DelegationCall } from "./delegation-call.ts"
import { DelegationRefusal } from "../../domain/delegation/delegation-refusal.ts"
import { treeUsage } from "../limits/tree-usage.ts"
import { collectFacts } from "../approval/call-facts.ts"
import { refuseByLimits, shareFor } from "./spawn/child-share.ts"
import { type SpawnDirective, writeChildRun } from "./spawn/write-child-run.ts"

/** Returns an id that depends only on the call, so that a retry sends the same message or decision. */
const idOf = (delegation: DelegationCall, kind: string, target: string): string =>
  `${kind}_${createHash("sha256")
    .update(`${delegationKey(delegation)}/${target}`)
    .digest("hex")
    .slice(0, 24)}`

/** Returns the id of the message that a call sends to a child, or with which it starts the child's next run. */
export const childMessageId = (delegation: DelegationCall, childId: string): string => idOf(delegation, "msg", childId)

const restartIdOf = (delegation: DelegationCall, childId: string): string => idOf(delegation, "run", childId)

const handleOf = ({ deps }: DelegationCall, row: SessionRow) =>
  deps.temporal.workflow.getHandle(sessionWorkflowId(row.id))

const auditControl = async (
  delegation: DelegationCall,
  row: SessionRow,
  action: string,
  { hash = null, detail = {} }: Partial<Pick<AuditRow, "hash" | "detail">> = {},
): Promise<void> => {
  const { deps, session, input } = delegation
  await deps.store.audit.record({
    key: idOf(delegation, action, row.id),
    sessionId: row.id,
    runId: row.runId,
    action,
    by: `agent:${session.id}`,
    via: "parent",
    kind: "model",
    hash,
    detail: { call_id: input.callId, ...detail },
  })
}

/** Sends a text to an active child: queued as a follow-up, or as steering, which applies at its next safe point. */
export const messageChild = async (
  delegation: DelegationCall,
  row: SessionRow,
  message: { readonly text: string; readonly type: "message" | "follow_up" | "steering" },
): Promise<void> => {
  const id = childMessageId(delegation, row.id)
  const source = message.type === "steering" ? "steering" : message.type === "message" ? "input" : "follow_up"
  await delegation.deps.store.inbox.put({ id, sessionId: row.id, source, text: message.text })
  // The sender, an agent, may approve no more than its own run.
  const sent: SessionMessage = { id, type: message.type, source, ...approvalField(delegation.snapshot.approval) }
  await handleOf(delegation, row).signal("inbox", await signMessage(delegation.deps.store, row.id, sent))
  await auditControl(delegation, row, message.type)
}

/** Returns whether an earlier attempt of this call has sent its text to a child, which has read it and ended since. */
export const wasSent = async (delegation: DelegationCall, row: SessionRow): Promise<boolean> => {
  const { store } = delegation.deps
  const isRestart = (await store.runs.get(restartIdOf(delegation, row.id))) !== undefined
  return !isRestart && (await wasRead(store, row.id, { id: childMessageId(delegation, row.id) }))
}

/** Cancels a child, and the sessions below it that are open: those that callers created are not cancelled with it in the engine. */
export const cancelChild = async (
  delegation: DelegationCall,
  row: SessionRow,
  below: readonly SessionRow[],
): Promise<void> => {
  for (const each of [row, ...below])
    try {
      await handleOf(delegation, each).cancel()
    } catch (error) {
      // A session that stays open may have ended together with its last run, and one below it together with the child.
      if (!(error instanceof WorkflowNotFoundError) || (each === row && !isFinal(row.status))) throw error
    }
  await auditControl(delegation, row, "cancel")
}

/** Returns the settings of a task's latest run; undefined if they are missing. */
const latestSettings = async ({ deps: { store } }: DelegationCall, row: SessionRow) => {
  const last = await store.runs.latest(row.id)
  return last === undefined ? undefined : store.snapshots.get(last.snapshotHash)
}

/**
 * An agent may approve no call that changes a protected path, and otherwise only what would run without approval in its own session, by the same rule; everything else waits for a person.
 * A tool that this worker does not know, such as one of an MCP server, counts as one that changes something. The call can run on another worker than
 * this one: it counts as confined only if the child's settings require that.
 * Returns the refusal `RESUME_TASK_ERROR`, which names the calls that only a person can approve; undefined if there are none.
 */
const refuseBeyondOwn = async (
  delegation: DelegationCall,
  row: SessionRow,
  approved: PauseRow["calls"],
): Promise<DelegationRefusal | undefined> => {
  const { deps, snapshot } = delegation
  const child = await latestSettings(delegation, row)
  const isConfined = child !== undefined && mustBeConfined(child)
  const confinement = isConfined ? undefined : { confined: false }
  const beyond: string[] = []
  for (const { id, name, isProtected, arguments: args } of approved) {
    const facts = await collectFacts(deps, snapshot, {
      confinement,
      tool: { name, readOnly: deps.tools.get(name)?.readOnly ?? false },
      arguments: args,
      change: isProtected === true ? { kind: "protected", path: "of the child" } : { kind: "free" },
    })
    if (gate(facts).verdict !== "run") beyond.push(`${id} (${name})`)
  }
  if (beyond.length === 0) return undefined
  return new DelegationRefusal(
    "RESUME_TASK_ERROR",
    `only a person can approve ${beyond.join(", ")}: your own policy asks for approval, too`,
  )
}

interface ChildDecision {
  readonly pause: PauseRow
  readonly approved: readonly string[]
  readonly rejected: readonly string[]
  /** Stay pending. */
  readonly left: readonly string[]
}

/** An agent decides nothing, not even a rejection, about calls for which a rule names people. */
const refuseCovered = ({ pause, approved, rejected }: ChildDecision): DelegationRefusal | undefined => {
  const covered = pause.calls.flatMap(({ id, rule }) =>
    rule !== undefined && (approved.includes(id) || rejected.includes(id)) ? [`${id} (${ruleText(rule)})`] : [],
  )
  return covered.length === 0
    ? undefined
    : new DelegationRefusal("RESUME_TASK_ERROR", `only people can decide ${covered.join(", ")}: wait for them`)
}

/** Decides a child's pending calls; those that are not named are rejected. */
export const decideForChild = async (
  delegation: DelegationCall,
  row: SessionRow,
  decided: ChildDecision,
): Promise<void> => {
  const decisions: Record<string, CallDecision> = {}
  for (const id of decided.approved) decisions[id] = { action: "accept" }
  for (const id of decided.rejected) decisions[id] = { action: "reject" }
  const payload: Decide = {
    decision_id: idOf(delegation, "dec", row.id),
    checkpoint_id: decided.pause.checkpointId,
    decisions,
    unlisted: decided.left.length === 0 ? "reject" : "pending",
    by: `agent:${delegation.session.id}`,
    via: "parent",
  }
  const { hash, detail } = decisionRecord(decided.pause, payload)
  const approved = decided.pause.calls.filter(({ id }) => decided.approved.includes(id))
  const refusal = refuseCovered(decided) ?? (await refuseBeyondOwn(delegation, row, approved))
  if (refusal !== undefined) {
    await auditControl(delegation, row, decideRefusedAction, { hash, detail: { ...detail, reason: refusal.message } })
    throw refusal
  }
  await handleOf(delegation, row).signal("decide", await signDecision(delegation.deps.store, row.id, payload))
  await auditControl(delegation, row, decideAction, { hash, detail })
}

const restartSettings = (delegation: DelegationCall, latest: RunSnapshot): RunSnapshot => {
  try {
    return planRestart(delegation.snapshot, latest, shareFor(delegation))
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    throw new DelegationRefusal("TASK_START_FAILED", error.message)
  }
}

/** Starts another run of an ended child as a child of this parent, within the rest of the budget. */
export const restartChild = async (
  delegation: DelegationCall,
  row: SessionRow,
  text: string,
): Promise<SpawnDirective> => {
  const { store } = delegation.deps
  if (!isFinal(row.status)) throw new DelegationRefusal("RESUME_TASK_ERROR", `task ${row.id} is still ${row.status}`)
  const refusal = refuseByLimits(delegation)
  if (refusal !== undefined) throw new DelegationRefusal("TASK_START_FAILED", refusal.error)
  const old = await latestSettings(delegation, row)
  if (old === undefined)
    throw new DelegationRefusal("RESUME_TASK_ERROR", `the settings of task ${row.id} are missing: start a new task`)
  const child = await writeChildRun(store, row, {
    runId: restartIdOf(delegation, row.id),
    settings: restartSettings(delegation, old),
    messageId: childMessageId(delegation, row.id),
    source: "follow_up",
    text,
  })
  if (row.archivedAt !== null) await store.sessions.archive(row.id, null)
  await auditControl(delegation, row, "follow_up")
  return {
    kind: "spawn",
    use: row.internal["mode"] === "session" ? "session" : "background",
    child: { ...child, usedBefore: await treeUsage(store, row.id) },
  }
}
