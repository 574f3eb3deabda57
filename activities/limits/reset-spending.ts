import { isFinal } from "../../domain/run/is-final.ts"
import type { RunSpending } from "../../domain/limits/run-spending.ts"
import { addUsage, countedTokens, noUsage } from "../../domain/limits/usage-totals.ts"
import { isByHand } from "../../sessions/delivery/report-by-hand.ts"
import type { RunRow, Store } from "../../store/store.ts"
import { turnUsage } from "./turn-usage.ts"
import type { RunScope } from "../contract/run-scope.ts"

/** Returns the runs of sub-agents whose ends are in the events of a run. */
const endedChildren = async (
  { events: log }: Pick<Store, "events">,
  { sessionId, runId }: RunScope,
): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (let after = 0; ;) {
    const { events } = await log.read(sessionId, { after, limit: 500 })
    for (const event of events)
      if (event.type === "child-finished" && event.run_id === runId) found.add(String(event["child_run_id"]))
    const last = events.at(-1)
    if (last === undefined) return found
    after = last.id
  }
}

/** Returns a run of a sub-agent that spent of this budget; undefined for one of a session that a person created below it. */
const spentBelow = async (
  { sessions, runs }: Pick<Store, "sessions" | "runs">,
  runId: string,
): Promise<RunRow | undefined> => {
  const run = await runs.get(runId)
  const session = run === undefined ? undefined : await sessions.get(run.sessionId)
  return session !== undefined && isByHand(session) ? undefined : run
}

/** A cost is null if a price is unknown. */
const sumOfKnown = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)

/**
 * Returns the spending of a run. The workflow of one that was reset counts from where it was reset to; the sub-agents that had ended before used what they used,
 * and the run's events name them.
 */
export const wholeSpending = async (
  store: Pick<Store, "sessions" | "runs" | "usage" | "events">,
  scope: RunScope,
  spending: RunSpending,
): Promise<RunSpending> => {
  const run = await store.runs.get(scope.runId)
  const wasReset = run !== undefined && (run.reopened > 0 || isFinal(run.status))
  if (!wasReset) return spending
  let usage = noUsage
  let below: { readonly microUsd: number | null; readonly tokens: number } = { microUsd: 0, tokens: 0 }
  for (const childRunId of await endedChildren(store, scope)) {
    const child = await spentBelow(store, childRunId)
    if (child === undefined) continue
    usage = addUsage(usage, turnUsage(await store.usage.total({ sessionId: child.sessionId, runId: childRunId })))
    below = {
      microUsd: sumOfKnown(below.microUsd, child.spending === null ? 0 : child.spending.childrenMicroUsd),
      tokens: below.tokens + (child.spending?.childrenTokens ?? 0),
    }
  }
  const { childrenMicroUsd: counted, childrenTokens } = spending
  const microUsd = sumOfKnown(usage.costMicroUsd, below.microUsd)
  return {
    ...spending,
    childrenTokens: Math.max(childrenTokens, countedTokens(usage) + below.tokens),
    childrenMicroUsd: counted === null || microUsd === null ? null : Math.max(counted, microUsd),
  }
}
