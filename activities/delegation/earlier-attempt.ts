import type { ToolMessage } from "../../contracts/message.ts"
import type { Verdict } from "../../domain/approval/gate.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import { mergeTarget } from "../worktree/merge-facts.ts"
import { childMessageId } from "./control-child.ts"
import { hasStarted } from "../approval/call-claim.ts"
import { delegationKey, type DelegationCall } from "./delegation-call.ts"
import { writtenChild } from "./spawn/create-child.ts"

/** Returns whether an earlier attempt has merged, or has begun to. What this worker never allows is not continued on it. */
const hasMerged = async (delegation: DelegationCall, isNeverAllowed: boolean): Promise<boolean> => {
  const { deps, input, call } = delegation
  if (call.name !== mergeToolName) return false
  const target = await mergeTarget(deps.store, input.sessionId, call)
  if ("problem" in target || target.row.mergeKey !== delegationKey(delegation)) return false
  return target.row.status === "merged" || !isNeverAllowed
}

/** Returns whether an earlier attempt has sent a message to a child, or has written the child's next run. */
const hasSent = async (delegation: DelegationCall): Promise<boolean> => {
  const { deps, input } = delegation
  for (const { id } of input.children)
    if ((await deps.store.inbox.get(id, childMessageId(delegation, id))) !== undefined) return true
  return false
}

/** Returns the result of an earlier attempt of a delegation call; undefined if none has ended. */
export const earlierResult = async ({ deps, input, call }: DelegationCall): Promise<ToolMessage | undefined> => {
  const row = await deps.store.messages.get(input.sessionId, input.resultSeq)
  const message = row?.runId === input.runId ? row.message : undefined
  const isOwn = await hasStarted(deps.store, input, call)
  return isOwn && message?.role === "tool" && message.call_id === call.id ? message : undefined
}

/**
 * Returns whether the store shows that an earlier attempt of a delegation call, perhaps on a worker that allows more, has had an effect. `verdict`: on
 * the call, on this worker.
 */
export const hasTakenEffect = async (delegation: DelegationCall, verdict: Verdict): Promise<boolean> => {
  const isNeverAllowed = verdict.verdict === "refuse" && verdict.why.about === "worker"
  return (
    (await writtenChild(delegation)) !== undefined ||
    (await hasMerged(delegation, isNeverAllowed)) ||
    (await hasSent(delegation))
  )
}
