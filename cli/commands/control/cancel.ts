import type { CommandModule } from "../../program/command.ts"
import { cancelSession } from "../../cancel-session.ts"
import { findTargets } from "../../find-targets.ts"
import { printForEach } from "../../print-result.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

export const cancelCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "cancel",
    "Cancels a task and all its children, and answers with the final status. A task that is final stays as it is.",
  ).action(
    run.onHost<TargetFlags>(async (context, host, { args: [target = ""], flags }) => {
      const items: { task_id: string; session_id: string; status: string }[] = []
      for (const id of await findTargets(host.client, target, flags.parent))
        items.push({ task_id: id, session_id: id, status: await cancelSession(context, host, id) })
      printForEach(context, { target, items }, ({ task_id, status }) => `Task ${task_id}: ${status}.`)
      return 0
    }),
  )
}
