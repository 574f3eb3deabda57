import type { CommandModule } from "../../program/command.ts"
import { transcriptRow } from "../../../sessions/view/transcript-row.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

export const exportCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "export",
    "Prints a task's transcript as JSON lines, one message each, whatever --output says.",
  ).action(
    run.onTarget<TargetFlags>(async (context, { client, redact }, { sessionId }) => {
      const rows = await client.messages(sessionId)
      for (const row of rows) context.io.stdout.write(`${JSON.stringify(transcriptRow(row, redact))}\n`)
      return 0
    }),
  )
}
