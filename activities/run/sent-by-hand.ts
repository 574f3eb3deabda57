import { activityInfo } from "@temporalio/activity"
import type { Client } from "@temporalio/client"
import type { Payload } from "@temporalio/common"
import { decodeArrayFromPayloads } from "@temporalio/common/lib/internal-non-workflow/index.js"
import { isDecisionByHand, textByHand } from "../../domain/operator/input-by-hand.ts"
import { isRecord } from "../../domain/text/is-record.ts"

/** A signal or an update that no program of this store sent, or that a program signs. */
export interface SentByHand {
  /** Identifies it in the audit log. */
  readonly key: string
  readonly name: string
  /** The identity that Temporal recorded. */
  readonly by: string
  readonly value: unknown
  /** The id of an update. */
  readonly updateId?: string
  /** Position among the signals of this name that people sent to the execution, from 1; undefined for an update, and for what has a program's form. */
  readonly ordinal?: number
}

interface Sent extends Pick<SentByHand, "key" | "name" | "by" | "updateId"> {
  readonly kind: "signal" | "update"
  readonly payloads: Payload[] | null | undefined
}

type HistoryEvent = NonNullable<
  Awaited<ReturnType<ReturnType<Client["workflow"]["getHandle"]>["fetchHistory"]>>["events"]
>[number]

const operatorSignals: ReadonlySet<string> = new Set(["approve", "reject", "input", "steer"])

const sentIn = (event: HistoryEvent, executionId: string): Sent | undefined => {
  const key = `${executionId}:${String(event.eventId)}`
  const signal = event.workflowExecutionSignaledEventAttributes
  if (signal?.signalName != null)
    return {
      ...{ key, kind: "signal", name: signal.signalName },
      ...{ by: signal.identity ?? "unknown", payloads: signal.input?.payloads },
    }
  const request = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest
  if (request?.input?.name == null) return undefined
  return {
    ...{ key, kind: "update", name: request.input.name },
    ...{ by: request.meta?.identity ?? "unknown", payloads: request.input.args?.payloads },
    ...(request.meta?.updateId == null ? {} : { updateId: request.meta.updateId }),
  }
}

const isByHand = ({ kind, name }: Sent, value: unknown, unsigned: ReadonlySet<unknown>): boolean => {
  if (kind === "signal" && operatorSignals.has(name)) return true
  const isNamed = isRecord(value) && unsigned.has(value["id"])
  if (name === "decide") return isDecisionByHand(value) || (isRecord(value) && unsigned.has(value["decision_id"]))
  if (name === "inbox") return isNamed
  if (name === "setModel" || (kind === "signal" && name === "retry")) return true
  return kind === "update" && (name === "send" || name === "steer") && (isNamed || textByHand(value)?.ok === true)
}

/** Whether the workflow counts it among the operators' signals. */
const isCountedSignal = ({ kind, name }: Sent, value: unknown): boolean =>
  kind === "signal" && (operatorSignals.has(name) || (name === "decide" && isDecisionByHand(value)))

const requireExecution = (): { readonly workflowId: string; readonly runId: string } => {
  const execution = activityInfo().workflowExecution
  if (execution === undefined) throw new Error("this activity belongs to a workflow")
  return execution
}

/**
 * Handlers do not see who sent a signal, but history does. Returns what was sent by hand to the activity's execution, with decisions and messages of these
 * ids.
 */
export const readSentByHand = async (temporal: Client, unsigned: readonly string[]): Promise<readonly SentByHand[]> => {
  const { workflowId, runId } = requireExecution()
  const ids = new Set<unknown>(unsigned)
  const valueOf = async ({ payloads }: Sent): Promise<unknown> => {
    try {
      return (await decodeArrayFromPayloads(temporal.options.loadedDataConverter, payloads ?? []))[0]
    } catch {
      return undefined
    }
  }
  const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory()
  const found: SentByHand[] = []
  const counts = new Map<string, number>()
  for (const event of history.events ?? []) {
    const sent = sentIn(event, runId)
    if (sent === undefined) continue
    const value = await valueOf(sent)
    if (!isByHand(sent, value, ids)) continue
    const { key, name, by, updateId } = sent
    const ordinal = isCountedSignal(sent, value) ? (counts.get(name) ?? 0) + 1 : undefined
    if (ordinal !== undefined) counts.set(name, ordinal)
    found.push({
      ...{ key, name, by, value },
      ...(updateId === undefined ? {} : { updateId }),
      ...(ordinal === undefined ? {} : { ordinal }),
    })
  }
  return found
}
