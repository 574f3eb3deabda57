import { InvalidArgumentError } from "commander"
import { type UsageGroup, usageGroupSchema } from "../../../contracts/usage.ts"
import { parseDuration } from "../../../domain/text/duration.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import { usageReportText } from "../../text/usage-report-text.ts"

interface UsageFlags {
  readonly by: readonly UsageGroup[]
  readonly since?: string
  readonly until?: string
}

const groups = (text: string): readonly UsageGroup[] => {
  const parsed = usageGroupSchema.array().safeParse(text.split(",").map((group) => group.trim()))
  if (!parsed.success) throw new InvalidArgumentError(`choose among ${usageGroupSchema.options.join(", ")}`)
  return parsed.data
}

/** Returns the time that a text names: a time, or how long ago it was. */
const timeOf = (text: string | undefined, nowMs: number): string | undefined => {
  const ago = text === undefined ? undefined : parseDuration(text)
  return ago === undefined ? text : new Date(nowMs - ago).toISOString()
}

const examples = `
Days are those of UTC. A task's label counts its sub-agents, too.

Examples:
  adjutant usage --since 30d                                           each of the last 30 days
  adjutant usage --since 2026-05-01 --until 2026-06-01 --by caller     who caused the cost in May
  adjutant usage --by profile,model                                    all calls, by profile and model`

export const usageCommand: CommandModule = (program, run) => {
  program
    .command("usage")
    .description("Show what model calls used and cost")
    .option(
      "--by <groups>",
      "Show groups by day, profile, model, label or caller, or by several of them (default: day)",
      groups,
    )
    .option(
      "--since <time>",
      "Show only calls from this time on, such as 2026-05-01, or 30d for the last 30 days",
      nonEmpty,
    )
    .option("--until <time>", "Show only calls before this time", nonEmpty)
    .addHelpText("after", examples)
    .action(
      run.on(
        "reading",
        async (context, { client }, { flags: { by = ["day"], since, until } }: CommandCall<Partial<UsageFlags>>) => {
          const now = Date.now()
          const report = await client.usage({ from: timeOf(since, now), to: timeOf(until, now), groupBy: by })
          printResult(context, report, () => usageReportText(report, by))
          return 0
        },
      ),
    )
}
