import type { CommandModule } from "../build-program.ts"
import { transcriptRow } from "../../client/transcript-row.ts"
import { withHost } from "../with-host.ts"

export const exportCommand: CommandModule = (program, run) => {
  program
    .command("export")
    .description("Prints a task's transcript as JSON lines, one message each, whatever --output says.")
    .argument("<target>", "task id, checkpoint id or label")
    .action(
      run((context, { args: [target = ""] }) =>
        withHost(context, async ({ client, redact }) => {
          const rows = await client.messages(await client.resolveTarget(target))
          for (const row of rows) context.io.stdout.write(`${JSON.stringify(transcriptRow(row, redact))}\n`)
          return 0
        }),
      ),
    )
}
