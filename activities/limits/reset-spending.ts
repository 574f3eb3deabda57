import { isFinal } from "../../domain/run/is-final.ts"
import type { Reserve } from "../../domain/limits/child-state.ts"
import type { CountedUsage, RunSpending } from "../../domain/limits/run-spending.ts"
import { countedTokens, type UsageTotals } from "../../domain/limits/usage-totals.ts"
import { isByHand } from "../../sessions/delivery/report-by-hand.ts"
import { sessionPages } from "../../sessions/rows/page.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { treeUsage } from "./tree-usage.ts"
import { turnUsage } from "./turn-usage.ts"

// The workflow of a run that was reset counts from where it was reset to. What was used before is in the store.

type UsedStore = Pick<Store, "sessions" | "runs" | "usage" | "events">

/** What an activity knows of a run that may have been reset. */
interface Counted extends RunScope {
  readonly counted?: CountedUsage
}

/** A cost is null if a price is unknown. */
interface Used {
  readonly microUsd: number | null
  readonly tokens: number
}

const nothing: Used = { microUsd: 0, tokens: 0 }

const usedOf = (usage: UsageTotals): Used => ({ microUsd: usage.costMicroUsd, tokens: countedTokens(usage) })

const add = (left: Used, right: Used): Used => ({
  microUsd: left.microUsd === null || right.microUsd === null ? null : left.microUsd + right.microUsd,
  tokens: left.tokens + right.tokens,
})

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

/** Returns the sub-agents that a run started: the keys of their calls name it. */
const startedBy = async (store: UsedStore, { sessionId, runId }: RunScope): Promise<readonly SessionRow[]> => {
  const rows: SessionRow[] = []
  for await (const page of sessionPages(store, { parentId: sessionId, includeArchived: true }))
    rows.push(...page.filter(({ internal }) => String(internal["spawnKey"]).startsWith(`${sessionId}/${runId}/`)))
  return rows
}

/** Returns what one run used of a sub-agent that another run had started, or whose session is gone; nothing of a session that a person created below it. */
const usedInRun = async (
  store: UsedStore,
  runId: string,
  isCounted: (session: SessionRow | undefined) => boolean,
): Promise<Used> => {
  const run = await store.runs.get(runId)
  const session = run === undefined ? undefined : await store.sessions.get(run.sessionId)
  if (run === undefined || isCounted(session) || (session !== undefined && isByHand(session))) return nothing
  const own = turnUsage(await store.usage.total({ sessionId: run.sessionId, runId }))
  const below = { microUsd: run.spending?.childrenMicroUsd ?? null, tokens: run.spending?.childrenTokens ?? 0 }
  return add(usedOf(own), run.spending === null ? nothing : below)
}

/** Returns what the sub-agents of a run used, without those that are open: the workflow holds a part of the budget for them. */
const usedBelow = async (store: UsedStore, { counted, ...scope }: Counted): Promise<Used> => {
  const isHeld = ({ id }: SessionRow): boolean => counted?.openChildren.includes(id) === true
  const isOpen = (row: SessionRow): boolean => (counted === undefined ? !isFinal(row.status) : isHeld(row))
  const started = await startedBy(store, scope)
  const ids = new Set(started.filter((row) => !isOpen(row)).map(({ id }) => id))
  let used = nothing
  for (const id of ids) used = add(used, usedOf(await treeUsage(store, id)))
  const isCounted = (row: SessionRow | undefined) => row !== undefined && (ids.has(row.id) || isHeld(row))
  for (const runId of await endedChildren(store, scope)) used = add(used, await usedInRun(store, runId, isCounted))
  return used
}

const less = (left: number | null, used: number | null, counted: number): number | null =>
  left === null ? null : Math.max(0, left - Math.max(0, (used ?? 0) - counted))

/** Returns what is left of the budget of a run, without what the workflow does not know of because it was reset. A run without a budget reads nothing. */
export const budgetAfterReset = async (store: UsedStore, input: Counted, budget: Reserve): Promise<Reserve> => {
  const { counted, sessionId, runId } = input
  if (counted === undefined || (budget.microUsd === null && budget.tokens === null)) return budget
  const own = usedOf(turnUsage(await store.usage.total({ sessionId, runId })))
  const used = add(own, await usedBelow(store, input))
  return {
    microUsd: less(budget.microUsd, used.microUsd, counted.microUsd),
    tokens: less(budget.tokens, used.tokens, counted.tokens),
  }
}

/** Returns the spending of a run, with that of the sub-agents that the workflow does not know of because it was reset. */
export const wholeSpending = async (
  store: UsedStore,
  input: Counted & { readonly spending: RunSpending },
): Promise<RunSpending> => {
  const { spending, counted } = input
  const run = await store.runs.get(input.runId)
  const wasReset = counted !== undefined || (run !== undefined && (run.reopened > 0 || isFinal(run.status)))
  if (!wasReset) return spending
  const { microUsd, tokens } = await usedBelow(store, input)
  const { childrenMicroUsd, childrenTokens } = spending
  return {
    ...spending,
    childrenTokens: Math.max(childrenTokens, tokens),
    childrenMicroUsd: childrenMicroUsd === null || microUsd === null ? null : Math.max(childrenMicroUsd, microUsd),
  }
}
