import type { CommandModule } from "../../program/command.ts"
import { cancelSession } from "../../cancel-session.ts"
import { findTargets } from "../../find-targets.ts"
import { printResult } from "../../print-result.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

export const killCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "kill",
    "Cancels a task and everything below it, or children of a task. What is final stays as it is.",
  ).action(
    run.onHost<TargetFlags>(async (context, host, { args: [target = ""], flags }) => {
      const ids = await findTargets(host.client, target, flags.parent)
      const items: { task_id: string; status: string }[] = []
      for (const id of ids) items.push({ task_id: id, status: await cancelSession(context, host, id) })
      printResult(context, { items }, () =>
        items.length === 0
          ? "Nothing to cancel."
          : items.map(({ task_id: id, status }) => `Task ${id}: ${status}.`).join("\n"),
      )
      return 0
    }),
  )
}
