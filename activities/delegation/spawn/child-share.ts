import { childrenRefusal, refuseByPlace, type SpawnRefusal } from "../../../domain/delegation/spawn-refusals.ts"
import type { ChildShare } from "../../../domain/limits/child-share.ts"
import { defaultReserve } from "../../../domain/limits/child-state.ts"
import type { DelegationCall } from "../delegation-call.ts"

const active = ({ input }: DelegationCall): number => input.children.filter(({ status }) => status !== "ended").length

/** Returns why the calling session may not have another child; undefined if it may. */
export const refuseByLimits = (delegation: DelegationCall): SpawnRefusal | undefined => {
  const { snapshot, session, input } = delegation
  const { maxSpawnDepth: maxDepth, maxChildrenPerAgent: maxChildren } = snapshot.subagents
  if (input.historyIsFull) return childrenRefusal(active(delegation), active(delegation))
  return refuseByPlace({ depth: session.depth, maxDepth, activeChildren: active(delegation), maxChildren })
}

/** Returns what the child may spend, and how long it may run. */
export const shareFor = (delegation: DelegationCall): ChildShare => {
  const { snapshot, input } = delegation
  return {
    reserve: defaultReserve(input.budgetLeft, snapshot.subagents.maxChildrenPerAgent - active(delegation)),
    timeLeftMs: input.timeLeftMs,
  }
}
