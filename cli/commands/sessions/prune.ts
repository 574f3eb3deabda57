import { InvalidArgumentError } from "commander"
import { counted } from "../../../domain/text/figures.ts"
import { dayMs, parseDuration } from "../../../domain/text/duration.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface PruneFlags {
  readonly olderThan?: number
  readonly dryRun?: boolean
}

const age = (text: string): number => {
  const ms = parseDuration(text)
  if (ms === undefined || ms < 1) throw new InvalidArgumentError("use a duration such as 30d or 12h")
  return ms
}

const examples = `
Open tasks remain, as do tasks that are bound to a thread, that have a delivery which is still tried, or whose label is in
retention.keepLabels. A task counts from the last change of it or of a sub-agent. Usage and the audit are kept.

Examples:
  adjutant prune --older-than 30d --dry-run     what would be erased
  adjutant prune --older-than 30d               tasks that ended more than 30 days ago, with their sub-agents`

export const pruneCommand: CommandModule = (program, run) => {
  program
    .command("prune")
    .description(
      "Erase tasks that ended long ago, with their sub-agents, and what Temporal has of them. This cannot be undone.",
    )
    .option("--older-than <duration>", "Erase what ended longer ago than this (default: retention.days)", age)
    .option("--dry-run", "Show how many tasks that would be, and the first 100, and erase nothing")
    .addHelpText("after", examples)
    .action(
      run.on("engine", async (context, { client, loaded }, { flags }: CommandCall<PruneFlags>) => {
        const { days } = loaded.config.retention
        const ageMs = flags.olderThan ?? (days === undefined ? undefined : days * dayMs)
        if (ageMs === undefined)
          throw wrongUsage("the age is missing: use --older-than, such as --older-than 30d, or set retention.days")
        const beforeMs = Date.now() - ageMs
        const dryRun = flags.dryRun === true
        const { tasks, sessions, ids } = await client.prune({ beforeMs, dryRun }, commandLineActor())
        const before = new Date(beforeMs).toISOString()
        const document = { before, dry_run: dryRun, tasks, sessions, ...(dryRun ? { task_ids: ids } : {}) }
        printResult(context, document, () =>
          [
            `${dryRun ? "Would erase" : "Erased"} ${counted(tasks, "task")} (${counted(sessions, "session")}) that ended before ${before}.`,
            ...ids,
          ].join("\n"),
        )
        return 0
      }),
    )
}
