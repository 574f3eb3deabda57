import { resolve } from "node:path"
import { stripVTControlCharacters } from "node:util"
import type { CommandModule, TargetCall } from "../command.ts"
import { nonEmpty, positiveInteger } from "../../program/option-parsers.ts"
import { writeRecording } from "../../replay/write-files.ts"
import { printResult } from "../../text/print-result.ts"
import { rowsOf, writePaged } from "../../terminal/write-paged.ts"
import { transcriptText } from "../../text/transcript-text.ts"
import { transcriptRow } from "../../../sessions/view/transcript-row.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"

/** Returns how many rows a text takes at a terminal. */
const screenLines = (text: string, columns = 80): number =>
  stripVTControlCharacters(text)
    .split("\n")
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / Math.max(1, columns))), 0)

interface LogFlags extends TargetFlags {
  readonly limit?: number
  readonly tools?: boolean
}

export const logCommand: CommandModule = (program, run) => {
  targetCommand(program, "log", "Show the transcript of a task, oldest message first; at a terminal, in the pager")
    .option("--limit <n>", "Show only the last n messages (default: all)", positiveInteger(100_000))
    .option("--tools", "Show the results of tool calls as well")
    .action(
      run.onTask("reading", async (context, { client, redact }, { sessionId, flags }: TargetCall<LogFlags>) => {
        const rows = await client.messages(sessionId)
        const spoken = flags.tools === true ? rows : rows.filter(({ message }) => message.role !== "tool")
        const shown = flags.limit === undefined ? spoken : spoken.slice(-flags.limit)
        if (context.options.output !== "text") {
          printResult(context, { items: shown.map((row) => transcriptRow(row, redact)) }, () => "")
          return 0
        }
        const { stdout } = context.io
        const text = redact(transcriptText(shown, { tools: flags.tools === true, paint: context.io.paint.stdout }))
        if (text !== "") await writePaged(context, `${text}\n`, screenLines(text, stdout.columns) >= rowsOf(context))
        return 0
      }),
    )
}

interface ExportFlags extends TargetFlags {
  readonly cassette?: string
}

export const exportCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "export",
    "Print the transcript of a task as JSON lines, one message per line, regardless of --output",
  )
    .option(
      "--cassette <file>",
      "Write the answers of the task's models, and of its sub-agents, to this file instead, for a model with provider: cassette",
      nonEmpty,
    )
    .action(
      run.onTask("store", async (context, { client, store, redact }, { sessionId, flags }: TargetCall<ExportFlags>) => {
        if (flags.cassette !== undefined) {
          const file = resolve(context.cwd, flags.cassette)
          const { recordCassette } = await import("../../../worker/replay/record-cassette.ts")
          await writeRecording(file, await recordCassette(store, sessionId, redact))
          printResult(context, { task_id: sessionId, file }, () => `Wrote ${file}.`)
          return 0
        }
        const rows = await client.messages(sessionId)
        for (const row of rows) context.io.stdout.write(`${JSON.stringify(transcriptRow(row, redact))}\n`)
        return 0
      }),
    )
}
