import { withShortDeadline } from "../../engine/describe-execution.ts"
import { sendSignal } from "../../engine/send-update.ts"
import type { RunStart } from "../../engine/session-start-options.ts"
import type { SessionsContext } from "../sessions-context.ts"

/**
 * Settles a delivery whose answer was lost: sends the message again under its id, which an execution that has it ignores. That something runs proves
 * nothing, since another message may have started it; where nothing runs, only the state of the message's own run shows that it arrived.
 */
export const hasArrived = async (
  context: SessionsContext,
  sessionId: string,
  { run, message }: Pick<RunStart, "run" | "message">,
): Promise<boolean> => {
  const signal = { sessionId, name: "inbox", payload: message } as const
  if (await sendSignal(withShortDeadline(context), signal).catch(() => false)) return true
  const started = await context.store.runs.get(run.run_id)
  return started !== undefined && started.status !== "pending"
}
