import { activityInfo } from "@temporalio/activity"
import { decodeArrayFromPayloads } from "@temporalio/common/lib/internal-non-workflow/index.js"
import type { Payload } from "@temporalio/common"
import { isTypedDecision, typedText } from "../../domain/operator/typed-input.ts"
import type { RecordActivities } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

type Deps = Pick<AgentDependencies, "store" | "temporal">

const operatorSignals: ReadonlySet<string> = new Set(["approve", "reject", "input", "steer"])

interface Sent {
  readonly kind: "signal" | "update"
  readonly name: string
  readonly by: string | null | undefined
  readonly payloads: Payload[] | null | undefined
}

const isByHand = ({ kind, name }: Sent, value: unknown): boolean => {
  if (kind === "signal" && operatorSignals.has(name)) return true
  if (name === "decide") return isTypedDecision(value)
  return kind === "update" && (name === "send" || name === "steer") && typedText(value)?.ok === true
}

/** Returns the details of a signal: the calls, never a person's text. */
const detailOf = (name: string, value: unknown): Readonly<Record<string, unknown>> => {
  const record = typeof value === "object" && value !== null ? value : {}
  if (name === "decide") return { decisions: "decisions" in record ? actionsOf(record.decisions) : {} }
  if (name === "approve" || name === "reject") return { calls: "ids" in record ? record.ids : (value ?? null) }
  return {}
}

const actionsOf = (decisions: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(decisions ?? {}).map(([id, decision]: [string, unknown]) => [
      id,
      typeof decision === "object" && decision !== null && "action" in decision ? decision.action : null,
    ]),
  )

/** Handlers do not see who sent a signal, but history does: what was typed by hand in this execution gets its audit row once. */
export const createAuditOperatorSignals =
  ({ store, temporal }: Deps): RecordActivities["auditOperatorSignals"] =>
  async ({ sessionId, runId }) => {
    const { workflowId, runId: executionId } = requireExecution()
    const valueOf = async ({ payloads }: Sent): Promise<unknown> => {
      try {
        return (await decodeArrayFromPayloads(temporal.options.loadedDataConverter, payloads ?? []))[0]
      } catch {
        return undefined
      }
    }
    const history = await temporal.workflow.getHandle(workflowId, executionId).fetchHistory()
    for (const event of history.events ?? []) {
      const signal = event.workflowExecutionSignaledEventAttributes
      const request = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest
      const sent: Sent | undefined =
        signal?.signalName != null
          ? { kind: "signal", name: signal.signalName, by: signal.identity, payloads: signal.input?.payloads }
          : request?.input?.name != null
            ? {
                kind: "update",
                name: request.input.name,
                by: request.meta?.identity,
                payloads: request.input.args?.payloads,
              }
            : undefined
      if (sent === undefined) continue
      const value = await valueOf(sent)
      if (!isByHand(sent, value)) continue
      await store.audit.record({
        key: `${executionId}:${String(event.eventId)}`,
        sessionId,
        runId,
        action: sent.name,
        by: sent.by ?? "unknown",
        via: "temporal",
        detail: detailOf(sent.name, value),
      })
    }
  }

const requireExecution = (): { readonly workflowId: string; readonly runId: string } => {
  const execution = activityInfo().workflowExecution
  if (execution === undefined) throw new Error("this activity belongs to a workflow")
  return execution
}
