import type { CommandModule } from "../../program/command.ts"
import { positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../print-result.ts"
import { auditDetailText } from "../../text/audit-text.ts"
import { decidedText, oneLine } from "../../text/plain-text.ts"
import { table } from "../../text/table.ts"

interface AuditFlags {
  readonly limit?: number
}

export const auditCommand: CommandModule = (program, run) => {
  program
    .command("audit")
    .description("List who did what to tasks, when, and through which channel")
    .argument("[target]", "the task: id, checkpoint id or label (default: all tasks)")
    .option("--limit <n>", "List at most this many (default: 100)", positiveInteger(100_000))
    .action(
      run.readStore<AuditFlags>(async (context, { client, redact }, { args: [target], flags }) => {
        const sessionId = target === undefined ? undefined : await client.resolveTarget(target)
        const rows = await client.audit({ ...flags, ...(sessionId === undefined ? {} : { sessionId }) })
        const items = rows.map(({ sessionId: session_id, runId: run_id, ...row }) => ({ ...row, session_id, run_id }))
        printResult(context, { items, next_cursor: null }, () =>
          rows.length === 0
            ? "No entries."
            : table(
                ["AT", "TASK", "ACTION", "BY", "VIA", "DETAIL"],
                rows.map((row) => [
                  row.at,
                  row.sessionId,
                  row.action,
                  oneLine(decidedText(row.by), 40),
                  row.via,
                  // Whole: what was decided is the point of the list.
                  oneLine(decidedText(redact(auditDetailText(row.detail))), Number.MAX_SAFE_INTEGER),
                ]),
              ),
        )
        return 0
      }),
    )
}
