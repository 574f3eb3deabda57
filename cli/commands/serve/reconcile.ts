import { Option } from "commander"
import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { printResult } from "../../print-result.ts"
import { reconcileText } from "../../text/engine-text.ts"

interface ReconcileFlags {
  readonly acceptMissing?: boolean
  readonly dryRun?: boolean
}

/** Is no session's tree: a worker for it takes workflow tasks and records, but no model or tool calls. */
const noTree = "reconcile"

export const reconcileCommand: CommandModule = (program, run) => {
  program
    .command("reconcile")
    .description(
      "Compare open tasks with Temporal now instead of within the next minute: record outcomes that are missing, open tasks again that were recorded as lost and live. Exit 1 if it stopped because too many tasks are missing.",
    )
    .option("--accept-missing", "count the tasks that Temporal does not know as lost, however many they are")
    .addOption(new Option("--dry-run", "only tell what would be ended").conflicts("acceptMissing"))
    .action(
      run.onHostOf<ReconcileFlags>({ worker: true }, async (context, host, { flags }) => {
        if (!(await host.client.hasWorker())) await host.startWorker({ rootId: noTree })
        const report = await host.client.reconcile(flags, commandLineActor())
        printResult(context, report, () => reconcileText(report))
        return report.stopped === null ? 0 : 1
      }),
    )
}
