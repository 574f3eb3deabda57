import { patched } from "@temporalio/workflow"
import { activeChildren } from "../../domain/limits/child-state.ts"
import { isFinishDue, refuseFinish } from "../../domain/run/tool-batch.ts"
import type { SessionContext } from "../agent/session-context.ts"
import { waitForChildren } from "../children/wait-for-children.ts"

/**
 * Answers a `finish` call with an error while sub-agents are active: finishing would discard their work. The first one is answered at once, so that
 * the model can wait for them or cancel them; a further one first waits for them, or a model that only repeats it would spend all its steps.
 */
export const holdFinish = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  const active = () => activeChildren(run.children).map(({ id }) => id)
  if (run.batch === null || !isFinishDue(run.batch) || active().length === 0) return
  if (run.isFinishRefused === true && patched("finish-waits-for-sub-agents")) await waitForChildren(context)
  run.isFinishRefused = true
  run.batch = refuseFinish(run.batch, active())
}
