import type { AgentDependencies } from "../agent-dependencies.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { SessionStatusAnswer } from "../../domain/session/session-message.ts"
import type { PrepareDelegationInput } from "../contract/delegation-activities.ts"

const queryDeadlineMs = 2_000

type ChildSources = Pick<AgentDependencies, "store" | "temporal">

/**
 * Queries the child's workflow, which answers only after every accepted decision, from any sender, has been handled. If no worker answers in time,
 * uses the store to find out whether its pause is open.
 */
const isPaused = async ({ store, temporal }: ChildSources, id: string): Promise<boolean> => {
  try {
    const handle = temporal.workflow.getHandle(sessionWorkflowId(id))
    const status = await temporal.withDeadline(Date.now() + queryDeadlineMs, () =>
      handle.query<SessionStatusAnswer>("status"),
    )
    // One without a pause of its own is paused while it waits for paused children.
    return status.checkpoint_id !== null || status.status === "paused"
  } catch {
    return (await store.pauses.current(id)) !== undefined
  }
}

/**
 * Returns those of the children that a call waits for which the parent takes for paused, and which work again: their report of that is still on its
 * way. Without it a wait returns the pause that was just decided.
 */
export const resumedChildren = async (
  deps: ChildSources,
  { children }: Pick<PrepareDelegationInput, "children">,
  { childIds }: { readonly childIds: readonly string[] },
): Promise<readonly string[]> => {
  const paused = children.filter(({ id, status }) => status === "paused" && childIds.includes(id))
  const found = await Promise.all(paused.map(async ({ id }) => ((await isPaused(deps, id)) ? [] : [id])))
  return found.flat()
}
