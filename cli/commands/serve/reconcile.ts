import { Option } from "commander"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { reconcileText } from "../../text/engine-text.ts"

interface ReconcileFlags {
  readonly acceptMissing?: boolean
  readonly dryRun?: boolean
}

export const reconcileCommand: CommandModule = (program, run) => {
  program
    .command("reconcile")
    .description("Compare open tasks with Temporal now: record missing outcomes, and archive and erase expired ones")
    .option("--accept-missing", "Treat all tasks that Temporal does not know as lost, however many they are")
    .addOption(new Option("--dry-run", "List what each job would do, and write nothing").conflicts("acceptMissing"))
    .action(
      run.on("engine", async (context, host, { flags }: CommandCall<ReconcileFlags>) => {
        await host.handOver(null)
        const report = await host.client.reconcile(flags, commandLineActor())
        printResult(context, report, () => reconcileText(report))
        return report.stopped === null ? 0 : 1
      }),
    )
}
