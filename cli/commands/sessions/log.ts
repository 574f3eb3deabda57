import type { CommandModule } from "../../program/command.ts"
import { positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../print-result.ts"
import { transcriptText } from "../../text/transcript-text.ts"
import { transcriptRow } from "../../../sessions/view/transcript-row.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

interface LogFlags extends TargetFlags {
  readonly limit?: number
  readonly tools?: boolean
}

export const logCommand: CommandModule = (program, run) => {
  targetCommand(program, "log", "Show the transcript of a task, oldest message first")
    .option("--limit <n>", "Show only the last n messages (default: all)", positiveInteger(100_000))
    .option("--tools", "Show the results of tool calls as well")
    .action(
      run.onTask<LogFlags>(async (context, { client, redact }, { sessionId, flags }) => {
        const rows = await client.messages(sessionId)
        const spoken = flags.tools === true ? rows : rows.filter(({ message }) => message.role !== "tool")
        const shown = flags.limit === undefined ? spoken : spoken.slice(-flags.limit)
        printResult(context, { items: shown.map((row) => transcriptRow(row, redact)) }, () =>
          redact(transcriptText(shown, { tools: flags.tools === true })),
        )
        return 0
      }),
    )
}

export const exportCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "export",
    "Print the transcript of a task as JSON lines, one message per line, regardless of --output",
  ).action(
    run.onTarget<TargetFlags>(async (context, { client, redact }, { sessionId }) => {
      const rows = await client.messages(sessionId)
      for (const row of rows) context.io.stdout.write(`${JSON.stringify(transcriptRow(row, redact))}\n`)
      return 0
    }),
  )
}
