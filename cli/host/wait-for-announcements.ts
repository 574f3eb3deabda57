import { setTimeout as delay } from "node:timers/promises"
import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import type { SessionHost } from "./session-host.ts"

const maxWaitMs = 2_000
const deliveryPollMs = 50

const eventOf = (document: OutcomeDocument): "run-paused" | "run-finished" | undefined => {
  if (document.outcome === "started") return undefined
  if (document.outcome === "paused") return "run-paused"
  return document.outcome === "failed" && document.stop_reason === "cancelled" ? undefined : "run-finished"
}

/**
 * Waits until this process's worker has tried each delivery of a run once. If no other worker runs, a delivery that has not been tried would wait
 * until the next worker starts. Another worker retries a delivery that fails.
 */
export const waitForAnnouncements = async (
  { client, loaded }: SessionHost,
  sessionId: string,
  document: OutcomeDocument,
): Promise<void> => {
  const event = eventOf(document)
  if (event === undefined || !loaded.config.webhooks.some(({ events }) => events.includes(event))) return
  const until = performance.now() + maxWaitMs
  while (performance.now() < until) {
    const { items } = await client.deliveries.list({ sessionId })
    const own = items.filter(({ type }) => type === event)
    if (own.length > 0 && own.every(({ status, attempts }) => status !== "pending" || attempts > 0)) return
    await delay(deliveryPollMs)
  }
}
