import { inlineMarkdown } from "../../domain/text/shown/markdown.ts"
import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  condition,
  isCancellation,
  setCurrentDetails,
} from "@temporalio/workflow"
import { handleSignal } from "../messages/described-handlers.ts"
import { retrySignal } from "../messages/messages.ts"
import type { DeliveryActivities } from "../../activities/contract/delivery-activities.ts"
import {
  deliveryDelayMs,
  type DeliveryInput,
  type DeliveryPolicy,
  type DeliveryTry,
  turnDelayMs,
} from "../../domain/delivery/delivery-policy.ts"
import { withoutStack } from "../../domain/text/without-stack.ts"
import { storeActivities } from "../store-activities.ts"
import { activitiesOf } from "../activities-of.ts"

/** The request has its own timeout; the rest is for writing its result, which waits for the end of an outage. */
const slackMs = 3_600_000
/** How soon a worker's death in the middle of a try is noticed. */
const heartbeatMs = ({ timeoutMs }: DeliveryPolicy): number => Math.min(10_000, Math.max(1_000, timeoutMs))

/** A receiver's refusal is an answer: what fails is the worker, which uses up no try of the receiver. One that ends so many workers counts as a try. */
const mostLosses = 20

const deliver = ({ key, policy }: DeliveryInput, attempt: number): Promise<DeliveryTry> => {
  const options: ActivityOptions = {
    startToCloseTimeout: policy.timeoutMs + slackMs,
    heartbeatTimeout: heartbeatMs(policy),
    retry: { maximumAttempts: mostLosses },
    summary: `try ${attempt} of ${policy.attempts}`,
  }
  return activitiesOf<DeliveryActivities>(options).deliver({ key, attempt, policy })
}

/** One try; what ended so many workers is as good as a receiver that did not answer. */
const tryOnce = async (input: DeliveryInput, attempt: number): Promise<DeliveryTry> => {
  const { policy } = input
  try {
    return await deliver(input, attempt)
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
    const reason = error.cause?.message ?? error.message
    return { kind: "again", reason, afterMs: deliveryDelayMs(policy, attempt) }
  }
}

/**
 * Delivers one announcement, and retries for as long as its policy says. Completes when the receiver has it, or when it was dismissed;
 * fails when it gives up, so that it may be started again under the same id.
 */
export async function delivery(input: DeliveryInput): Promise<void> {
  const { key, policy } = input
  let hurry = false
  handleSignal(retrySignal, () => {
    hurry = true
  })
  let waits = 0
  // Never spins: every attempt is an activity, and each wait for it ends with a timer or a signal.
  for (let attempt = 1; ;) {
    hurry = false
    const tried = await tryOnce(input, attempt)
    if (tried.kind === "delivered" || tried.kind === "dropped") return
    if (tried.kind === "waits") {
      setCurrentDetails("**Not sent yet:** an earlier message to the thread has not been delivered")
      await condition(() => hurry, turnDelayMs(waits))
      waits += 1
      continue
    }
    if (tried.kind === "permanent" || attempt >= policy.attempts) {
      await storeActivities.giveUpDelivery({ key, reason: tried.reason })
      throw withoutStack(ApplicationFailure.create({ type: "undelivered", message: tried.reason, nonRetryable: true }))
    }
    setCurrentDetails(`**Not delivered yet** (try ${attempt} of ${policy.attempts}): ${inlineMarkdown(tried.reason)}`)
    await condition(() => hurry, tried.afterMs)
    attempt += 1
  }
}
