import type { CommandModule } from "../../program/command.ts"
import { transcriptRow } from "../../../sessions/view/transcript-row.ts"
import { withHost } from "../../host/with-host.ts"
import { findTarget } from "../../find-targets.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

export const exportCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "export",
    "Prints a task's transcript as JSON lines, one message each, whatever --output says.",
  ).action(
    run<TargetFlags>((context, { args: [target = ""], flags }) =>
      withHost(context, async ({ client, redact }) => {
        const rows = await client.messages(await findTarget(client, target, flags.parent))
        for (const row of rows) context.io.stdout.write(`${JSON.stringify(transcriptRow(row, redact))}\n`)
        return 0
      }),
    ),
  )
}
