import type { ScheduleChange } from "../../../engine/schedules/run-schedules.ts"
import type { ScheduleView } from "../../../sessions/schedules/schedules.ts"
import { commandLineActor } from "../../actor.ts"
import { printResult } from "../../print-result.ts"
import type { CommandModule } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { table } from "../../text/table.ts"

const scheduleTable = (items: readonly ScheduleView[]): string =>
  table(
    ["NAME", "STATE", "CRON", "TIME ZONE", "OVERLAP", "NEXT", "LAST START"],
    items.map(({ name, state, cron, timezone, overlap, next, started }) => [
      ...[name, state, cron, timezone, overlap, next[0] ?? "", started[0] ?? ""],
    ]),
  )

const changes: Readonly<Record<ScheduleChange, string>> = {
  pause: "Start no tasks of a schedule until it is resumed",
  resume: "Start the tasks of a schedule again",
  trigger: "Start a task of a schedule now",
}
const changeNames = ["pause", "resume", "trigger"] as const

export const scheduleCommand: CommandModule = (program, run) => {
  const schedule = program.command("schedule").description("List and change the schedules of the configuration")
  schedule
    .command("list")
    .description("List the schedules with their next times")
    .action(
      run.onHost(async (context, { client }) => {
        const items = [...(await client.schedules.list())]
        printResult(context, { items }, () => (items.length === 0 ? "No schedules." : scheduleTable(items)))
        return 0
      }),
    )
  for (const change of changeNames)
    schedule
      .command(change)
      .description(changes[change])
      .argument("<name>", "name of the schedule", nonEmpty)
      .action(
        run.onHost(async (context, { client }, { args }) => {
          const changed = await client.schedules.change(args[0] ?? "", { change, actor: commandLineActor() })
          printResult(context, changed, () => scheduleTable([changed]))
          return 0
        }),
      )
}
