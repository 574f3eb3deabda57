import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { cancelSession } from "../../run/cancel-session.ts"
import { findTargets, targetCommand, type TargetFlags } from "../../program/target-command.ts"
import { erasePauseManifest } from "../../run/keep-pause-manifest.ts"
import { printForEach } from "../../text/print-result.ts"

export const deleteCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "delete",
    "Cancel a task and everything below it, then erase their transcripts. This cannot be undone; the audit is kept.",
  ).action(
    run.on("tasks", async (context, host, { args: [target = ""], flags }: CommandCall<TargetFlags>) => {
      const items: { task_id: string; session_id: string; deleted: true }[] = []
      for (const id of await findTargets(host.client, target, flags.parent)) {
        const session = await host.client.info(id)
        await cancelSession(host, context, id)
        await host.client.delete(id, commandLineActor())
        await erasePauseManifest(host, session)
        items.push({ task_id: id, session_id: id, deleted: true })
      }
      printForEach(context, { target, items }, ({ task_id }) => `Task ${task_id}: deleted.`)
      return 0
    }),
  )
}
