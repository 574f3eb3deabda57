import { computed, effect, signal } from "@preact/signals"
import { server } from "../api/server.ts"
import type { Approval } from "../api/shapes.ts"
import { refresher } from "./refresher.ts"

/** All that waits for a person, the longest wait first. Undefined before the first answer. */
export const approvals = signal<readonly Approval[] | undefined>(undefined)

/** How many decisions and answers are wanted. */
export const waitingCount = computed(() =>
  (approvals.value ?? []).reduce((sum, { pending, type }) => sum + (type === "input_required" ? 1 : pending.length), 0),
)

/** The place of each decision among all that are wanted, from 1, by checkpoint and call. */
export const decisionPlaces = computed<ReadonlyMap<string, number>>(() => {
  const names = (approvals.value ?? []).flatMap(({ checkpoint_id: checkpoint, pending, type }) =>
    type === "input_required" ? [checkpoint] : pending.map(({ id }) => `${checkpoint}.${id}`),
  )
  return new Map(names.map((name, index) => [name, index + 1]))
})

const key = (items: readonly Approval[]): string =>
  JSON.stringify(items.map(({ checkpoint_id, pending }) => [checkpoint_id, pending.map(({ id }) => id)]))

export const approvalsRefresher = refresher("approvals", async () => {
  const { items } = await server.approvals()
  // What did not change is not drawn again: a half-written reason stays.
  if (approvals.value === undefined || key(items) !== key(approvals.value)) approvals.value = items
})

export const waitingApproval = (sessionId: string): Approval | undefined =>
  approvals.value?.find(({ session_id: id }) => id === sessionId)

/** Shows in the title how much waits. */
export const countInTitle = (): void => {
  effect(() => {
    document.title = waitingCount.value === 0 ? "Adjutant" : `(${waitingCount.value}) Adjutant`
  })
}
