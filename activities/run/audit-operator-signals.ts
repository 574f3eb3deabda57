import { isNestedTooDeep } from "../../domain/text/json/parse-json.ts"
import { decideSchema } from "../../contracts/approval/decision.ts"
import { boundForHistory } from "../../domain/text/bound-for-history.ts"
import { ignoredReason } from "../../domain/session/signals-by-hand.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { checkMessage } from "../../domain/operator/operator-argument.ts"
import { isSignedControl } from "../../sessions/messages/sign-control.ts"
import { isSignedMessage } from "../../sessions/messages/sign-message.ts"
import { isSignedDecision } from "../../sessions/decide/sign-decision.ts"
import type { RunStoreActivities } from "../contract/agent-activities.ts"
import type { AuditInput } from "../contract/operator-audit.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { readSentByHand, type SentByHand } from "./sent-by-hand.ts"

type Deps = Pick<AgentDependencies, "store" | "temporal">

const detailLimits = { text: 500, items: 500, total: 100_000 }

const actionOf = (decision: unknown): unknown => (isRecord(decision) ? (decision["action"] ?? null) : null)

const actionsOf = (decisions: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(isRecord(decisions) ? decisions : {}).map(([id, decision]) => [id, actionOf(decision)]),
  )

/** Returns the details of a signal: the calls, never a person's text. What it says about its own sender is marked as a claim. */
const detailOf = ({ name, value }: SentByHand): Readonly<Record<string, unknown>> => {
  const record = isRecord(value) ? value : {}
  if (name === "approve" || name === "reject") return { calls: "ids" in record ? record["ids"] : (value ?? null) }
  if (name === "inbox" || name === "send" || name === "steer") return messageDetail(record)
  if (name === "setModel") return { model: auditedText("model" in record ? record["model"] : value) }
  if (name !== "decide") return {}
  const { decisions, all, unlisted, by, via } = record
  return {
    decisions: actionsOf(decisions),
    ...(all === undefined ? {} : { all: actionOf(all) }),
    ...(unlisted === "reject" ? { unlisted } : {}),
    ...(by === undefined && via === undefined ? {} : { claimed: { by: auditedText(by), via: auditedText(via) } }),
  }
}

/** Returns what a message in a program's form says besides its text, which is in the store; nothing for a typed text. */
const messageDetail = ({ id, type, source, new_run, budget }: Readonly<Record<string, unknown>>) =>
  id === undefined
    ? {}
    : {
        message_id: auditedText(id),
        type: auditedText(type),
        claimed: {
          source: auditedText(source),
          ...(isRecord(new_run) ? { run_id: auditedText(new_run["run_id"]) } : {}),
        },
        ...(budget === undefined ? {} : { raises_budget: true }),
      }

const auditedText = (value: unknown): string | null => (typeof value === "string" ? value.slice(0, 200) : null)

/** Whether a program sent a decision or a message under the same id, too: that one is in the audit log. */
const isSigned = async (
  store: Deps["store"],
  sessionId: string,
  { name, value, updateId }: SentByHand,
): Promise<boolean> => {
  if (name === "retry" || name === "setModel")
    return await isSignedControl(store, { name, sessionId }, { value, updateId })
  if (name === "decide") {
    const parsed = decideSchema.safeParse(value)
    return parsed.success && (await isSignedDecision(store, sessionId, parsed.data))
  }
  const message = checkMessage(value)
  return message.ok && (await isSignedMessage(store, sessionId, message.value))
}

/** Returns why the workflow ignored a signal; null if it did not; undefined if it has not handled it yet. */
const ignoredIn = (
  typedSignals: AuditInput["typedSignals"],
  { name, ordinal }: SentByHand,
): string | null | undefined => (ordinal === undefined ? null : ignoredReason(typedSignals, { name, ordinal }))

const auditSent = async (
  { store, temporal }: Deps,
  { sessionId, runId, unsigned = [], typedSignals }: AuditInput,
): Promise<readonly SentByHand[]> => {
  const found: SentByHand[] = []
  for (const sent of await readSentByHand(temporal, unsigned)) {
    if (await isSigned(store, sessionId, sent)) continue
    const ignored = ignoredIn(typedSignals, sent)
    if (ignored === undefined) continue
    found.push(sent)
    await store.audit.record({
      ...{ key: sent.key, sessionId, runId, action: sent.name, by: sent.by, via: "temporal" },
      detail: {
        ...(isNestedTooDeep(sent.value) ? {} : boundForHistory(detailOf(sent), detailLimits)?.value),
        ...(ignored === null ? {} : { ignored }),
      },
    })
  }
  return found
}

/** Creates the activity that audits, once, what was typed by hand in this execution. */
export const createAuditOperatorSignals =
  (deps: Deps): RunStoreActivities["auditOperatorSignals"] =>
  async (input) => {
    await auditSent(deps, input)
  }

/** Creates the activity that verifies who sent a decision. What has a valid signature was audited by its sender, everything else is audited here. */
export const createAttributeDecision =
  (deps: Deps): RunStoreActivities["attributeDecision"] =>
  async ({ decide, ...scope }) => {
    if (await isSignedDecision(deps.store, scope.sessionId, decide)) return { isSigned: true, by: null }
    const sent = await auditSent(deps, { ...scope, unsigned: [decide.decision_id] })
    const own = sent.find(({ value }) => isRecord(value) && value["decision_id"] === decide.decision_id)
    return { isSigned: false, by: own?.by ?? null }
  }

/** Creates the activity that verifies who sent messages, in the same way. */
export const createAttributeMessages =
  (deps: Deps): RunStoreActivities["attributeMessages"] =>
  async ({ messages, ...scope }) => {
    const unsigned: string[] = []
    for (const message of messages)
      if (!(await isSignedMessage(deps.store, scope.sessionId, message))) unsigned.push(message.id)
    if (unsigned.length === 0) return { missing: [] }
    const sent = await auditSent(deps, { ...scope, unsigned })
    const found = new Set(sent.flatMap(({ value }) => (isRecord(value) ? [value["id"]] : [])))
    return { missing: unsigned.filter((id) => !found.has(id)) }
  }
