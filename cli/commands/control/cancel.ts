import { cancelSession } from "../../cancel-session.ts"
import { findTargets, targetCommand, type TargetFlags } from "../../target-command.ts"
import { printForEach, printResult } from "../../print-result.ts"
import type { CommandModule } from "../../program/command.ts"

const statusText = ({ task_id, status }: { readonly task_id: string; readonly status: string }): string =>
  `Task ${task_id}: ${status}.`

export const cancelCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "cancel",
    "Cancel a task and all its children, and print the final status. A task that has ended does not change.",
  ).action(
    run.onTasks<TargetFlags>(async (context, host, { args: [target = ""], flags }) => {
      const items: { task_id: string; session_id: string; status: string }[] = []
      for (const id of await findTargets(host.client, target, flags.parent))
        items.push({ task_id: id, session_id: id, status: await cancelSession(host, context, id) })
      printForEach(context, { target, items }, statusText)
      return 0
    }),
  )
}

export const killCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "kill",
    "Cancel a task and everything below it, or children of a task. A task that has ended does not change.",
  ).action(
    run.onTasks<TargetFlags>(async (context, host, { args: [target = ""], flags }) => {
      const items: { task_id: string; status: string }[] = []
      for (const id of await findTargets(host.client, target, flags.parent))
        items.push({ task_id: id, status: await cancelSession(host, context, id) })
      printResult(context, { items }, () =>
        items.length === 0 ? "Nothing to cancel." : items.map(statusText).join("\n"),
      )
      return 0
    }),
  )
}
