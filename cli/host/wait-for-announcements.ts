import { setTimeout as delay } from "node:timers/promises"
import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import type { SessionHost } from "./session-host.ts"

const patienceMs = 2_000
const lookEveryMs = 50

const eventOf = (document: OutcomeDocument): "run-paused" | "run-finished" | undefined => {
  if (document.outcome === "started") return undefined
  if (document.outcome === "paused") return "run-paused"
  return document.outcome === "failed" && document.stop_reason === "cancelled" ? undefined : "run-finished"
}

/**
 * Lets this process's worker make the first try of what a run announces before it leaves: where no other worker runs, the receiver would hear of it
 * only when the next one starts. What fails is another worker's to try again.
 */
export const waitForAnnouncements = async (
  { client, loaded }: SessionHost,
  sessionId: string,
  document: OutcomeDocument,
): Promise<void> => {
  const event = eventOf(document)
  if (event === undefined || !loaded.config.webhooks.some(({ events }) => events.includes(event))) return
  const until = performance.now() + patienceMs
  while (performance.now() < until) {
    const { items } = await client.deliveries.list({ sessionId })
    const own = items.filter(({ type }) => type === event)
    if (own.length > 0 && own.every(({ status, attempts }) => status !== "pending" || attempts > 0)) return
    await delay(lookEveryMs)
  }
}
