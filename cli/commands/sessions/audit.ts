import type { CommandCall, CommandModule } from "../command.ts"
import { nonEmpty, positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import { findTarget } from "../../program/target-command.ts"
import { auditText } from "../../text/audit-text.ts"

interface AuditFlags {
  readonly from?: string
  readonly to?: string
  readonly limit?: number
  readonly cursor?: string
}

export const auditCommand: CommandModule = (program, run) => {
  program
    .command("audit")
    .description("List who did what to tasks, when and through which channel, newest first")
    .argument("[target]", "the task: id, checkpoint id or label (default: all tasks)")
    .option(
      "--from <time>",
      "List only entries from this time on, such as 2026-11-28 or 2026-11-28T10:00:00Z",
      nonEmpty,
    )
    .option("--to <time>", "List only entries before this time", nonEmpty)
    .option("--limit <n>", "List at most this many (default: 100)", positiveInteger(100_000))
    .option("--cursor <cursor>", "Continue after the last page, which had this next_cursor", nonEmpty)
    .action(
      run.on("reading", async (context, { client, redact }, { args: [target], flags }: CommandCall<AuditFlags>) => {
        const sessionId = target === undefined ? undefined : await findTarget(client, target, undefined)
        const page = await client.audit({ ...flags, sessionId })
        printResult(context, page, () => redact(auditText(page)))
        return 0
      }),
    )
}
