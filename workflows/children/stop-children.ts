import { getExternalWorkflowHandle } from "@temporalio/workflow"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { type ChildState, isActive } from "../../domain/limits/child-state.ts"
import { counted } from "../../domain/text/figures.ts"
import type { SessionContext } from "../session/session-context.ts"

const requestCancel = async (sessionId: string): Promise<void> => {
  await getExternalWorkflowHandle(sessionWorkflowId(sessionId))
    .cancel()
    .catch(() => undefined)
}

/**
 * Stops all descendants with the run, and waits until they have stopped. Sessions that stay open are stopped only if this one was cancelled. Returns
 * the children that nobody has cancelled but the end of the run.
 */
export const stopChildren = async (context: SessionContext, wasCancelled: boolean): Promise<readonly ChildState[]> => {
  const { state } = context
  const open = state.run.children.filter((child) => isActive(child) && child.use !== "session")
  for (const child of open) {
    // One that ends by itself meanwhile has a result, which the next run reads; settling it silences those that were cancelled.
    if (wasCancelled) child.isSilent = true
    await requestCancel(child.id)
  }
  if (wasCancelled) for (const sessionId of state.openSessions) await requestCancel(sessionId)
  await Promise.all(open.map((child) => context.childEnds.get(child.id) ?? Promise.resolve()))
  return wasCancelled ? [] : open.filter(({ stopReason }) => stopReason === "cancelled")
}

/** Returns a text that names the sub-agents that were cancelled because the run that started them has ended. */
export const stoppedText = (children: readonly Pick<ChildState, "id" | "label">[]): string => {
  const names = children.map(({ id, label }) => (label === null ? id : `${id} (${JSON.stringify(label)})`))
  return `${counted(children.length, "sub-agent")} still worked when the run ended, and ${children.length === 1 ? "was" : "were"} cancelled: ${names.join(", ")}`
}
