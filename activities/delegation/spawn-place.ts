import { childrenRefusal, refuseByPlace, type SpawnRefusal } from "../../domain/delegation/spawn-refusals.ts"
import { defaultReserve, type Reserve } from "../../domain/limits/child-state.ts"
import type { DelegationCall } from "./delegation-call.ts"

const active = ({ input }: DelegationCall): number => input.children.filter(({ status }) => status !== "ended").length

/** Whether the calling session may have one more child; undefined when it may. */
export const refuseByLimits = (delegation: DelegationCall): SpawnRefusal | undefined => {
  const { snapshot, session, input } = delegation
  const { maxSpawnDepth: maxDepth, maxChildrenPerAgent: maxChildren } = snapshot.subagents
  if (input.historyIsFull) return childrenRefusal(active(delegation), active(delegation))
  return refuseByPlace({ depth: session.depth, maxDepth, activeChildren: active(delegation), maxChildren })
}

/** What the child may spend. */
export const reserveFor = (delegation: DelegationCall): Reserve => {
  const { snapshot, input } = delegation
  return defaultReserve(input.budgetLeft, snapshot.subagents.maxChildrenPerAgent - active(delegation))
}

/** A child never outlives what its parent has left; 0: no limit. */
export const timeoutFor = ({ input }: DelegationCall, wantedSeconds: number): number => {
  if (input.timeLeftMs === 0) return wantedSeconds
  const left = Math.max(1, Math.floor(input.timeLeftMs / 1_000))
  return wantedSeconds === 0 ? left : Math.min(wantedSeconds, left)
}
