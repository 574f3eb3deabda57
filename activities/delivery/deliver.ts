import { cancellationSignal } from "@temporalio/activity"
import { assertNever } from "../../domain/assert-never.ts"
import { deliveryDelayMs, type DeliveryTry, longestTurnWaitMs } from "../../domain/delivery/delivery-policy.ts"
import { wakeNextInThread } from "../../sessions/delivery/wake-next-in-thread.ts"
import type { DeliveryRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { DeliverInput, DeliveryActivities } from "../contract/delivery-activities.ts"
import { postNotice, unanswered } from "./post-notice.ts"
import { postDelivery } from "./post-delivery.ts"

type DeliveryDependencies = Pick<AgentDependencies, "store" | "env" | "temporal" | "redact" | "tracer" | "metrics">

/** Messages to one thread are sent in their order: whether none before this one is still to be sent. */
const isItsTurn = async ({ store }: Pick<DeliveryDependencies, "store">, row: DeliveryRow): Promise<boolean> => {
  if (row.kind !== "channel") return true
  const first = await store.deliveries.nextInThread(row)
  return first === undefined || first.key === row.key
}

const send = async (deps: DeliveryDependencies, row: DeliveryRow, input: DeliverInput): Promise<DeliveryTry> => {
  const secret = deps.env[row.secretEnv]?.trim() ?? ""
  // Some services need no token.
  if (secret === "" && row.secretEnv !== "")
    return {
      kind: "again",
      reason: `${row.secretEnv} is not set for the worker: set it; the delivery is retried`,
      afterMs: deliveryDelayMs(input.policy, input.attempt),
    }
  const posting = { secret, attempt: input.attempt, signal: cancellationSignal() }
  switch (row.kind) {
    case "webhook":
    case "channel":
      return await postDelivery(row, posting)
    case "destination":
      return await postNotice(deps, row, posting)
    default:
      return assertNever(row.kind)
  }
}

/** Creates the activity that sends a delivery. It is recorded as delivered only after the receiver's answer: if the worker dies before, it is sent again with the same id. */
const createDeliver =
  (deps: DeliveryDependencies): DeliveryActivities["deliver"] =>
  async (input) => {
    const { deliveries } = deps.store
    const row = await deliveries.get(input.key)
    if (row === undefined || row.status !== "pending") return { kind: "dropped" }
    if (!(await isItsTurn(deps, row))) {
      const nextTryAt = new Date(Date.now() + longestTurnWaitMs).toISOString()
      await deliveries.patch(input.key, { nextTryAt }, ["pending"])
      return { kind: "waits" }
    }
    const attempts = row.attempts + 1
    // Until the service answers, it is not known whether it has the message.
    const doubt = row.kind === "destination" ? { lastError: unanswered } : {}
    await deliveries.patch(input.key, { attempts, nextTryAt: null, ...doubt }, ["pending"])
    const tried = await send(deps, row, input)
    if (tried.kind === "delivered") {
      await deliveries.patch(input.key, { status: "delivered", lastError: null }, ["pending", "dismissed"])
      await wakeNextInThread(deps, row)
      deps.tracer?.traceDelivery(input.key)
      deps.metrics?.delivered("delivered")
    }
    if (tried.kind === "again") {
      const nextTryAt = new Date(Date.now() + tried.afterMs).toISOString()
      await deliveries.patch(input.key, { lastError: tried.reason, nextTryAt }, ["pending"])
    }
    return tried
  }

export const createDeliveryActivities = (deps: DeliveryDependencies): DeliveryActivities => ({
  deliver: createDeliver(deps),
  giveUpDelivery: async ({ key, reason }) => {
    const { deliveries } = deps.store
    await deliveries.patch(key, { status: "failed", lastError: reason, nextTryAt: null }, ["pending"])
    deps.tracer?.traceDelivery(key)
    deps.metrics?.delivered("failed")
    const row = await deliveries.get(key)
    if (row !== undefined) await wakeNextInThread(deps, row)
  },
})
