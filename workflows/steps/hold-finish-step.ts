import { patched } from "@temporalio/workflow"
import { activeChildren } from "../../domain/limits/child-state.ts"
import { refuseFinish } from "../../domain/calls/tool-batch.ts"
import { waitForChildren } from "../children/wait-for-children.ts"
import { continueAsNewIfDue } from "../session/continue-as-new.ts"
import type { SessionContext } from "../session/session-context.ts"

/**
 * Answers a `finish` call with an error while sub-agents are active: finishing would discard their work. The first one is answered at once, so that
 * the model can wait for them or cancel them; a further one first waits for them, or a model that only repeats it would spend all its steps. In a thread
 * where the next message waits, its run takes them over.
 */
export const holdFinish = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  if (run.isFinishRefused === true && patched("finish-waits-for-sub-agents")) {
    await waitForChildren(context)
    // The next execution goes back to this wait.
    await continueAsNewIfDue(context)
  }
  run.isFinishRefused = true
  if (run.batch === null) return
  run.batch = refuseFinish(
    run.batch,
    activeChildren(run.children).map(({ id }) => id),
  )
}
