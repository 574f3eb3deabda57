import path from "node:path"
import type { Command } from "commander"
import { argumentProblem } from "../../../contracts/argument-problem.ts"
import { scheduleSchema } from "../../../contracts/config/schedules.ts"
import type { ScheduleView } from "../../../contracts/schedules/schedules.ts"
import { withoutUndefined } from "../../../domain/without-undefined.ts"
import type { ScheduleChange } from "../../../engine/schedules/run-schedules.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import { printResult } from "../../text/print-result.ts"
import type { CommandCall, CommandModule, CommandRunner } from "../command.ts"
import { collect, nonEmpty, nonNegativeNumber, positiveInteger } from "../../program/option-parsers.ts"
import { table } from "../../text/table.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

const scheduleTable = (items: readonly ScheduleView[]): string =>
  table(
    ["NAME", "STATE", "CRON", "TIME ZONE", "OVERLAP", "NEXT", "LAST START", "FROM"],
    items.map(({ name, state, cron, timezone, overlap, next, started, origin, by }) => [
      ...[name, state, cron, timezone, overlap, next[0] ?? "", started[0] ?? "", by ?? origin],
    ]),
  )

const changes: Readonly<Record<ScheduleChange, string>> = {
  pause: "Start no tasks of a schedule until it is resumed",
  resume: "Start the tasks of a schedule again",
  trigger: "Start a task of a schedule now",
}
const changeNames = ["pause", "resume", "trigger"] as const

/** Adds some of the commands about schedules. */
type AddPart = (schedule: Command, run: CommandRunner) => void

interface AddFlags {
  readonly cron: string
  readonly timezone?: string
  readonly agent?: string
  readonly cwd?: string
  readonly overlap?: string
  readonly catchUpMinutes?: number
  readonly pauseOnFailure?: boolean
  readonly budgetUsd?: number
  readonly notify?: readonly string[]
}

/** `cwd`: the directory of the tasks; a server has directories of its own. */
const scheduleOf = (prompt: string, cwd: string | undefined, { notify, cwd: _cwd, ...flags }: AddFlags) => {
  const names = notify === undefined ? undefined : [...notify]
  const on = names === undefined ? undefined : { approval: names, question: names, failed: names }
  const parsed = scheduleSchema.safeParse(withoutUndefined({ ...flags, prompt, cwd, notify: on }))
  if (!parsed.success) throw wrongUsage(`the schedule is not valid: ${argumentProblem(parsed.error)}`)
  return parsed.data
}

const addAdd: AddPart = (schedule, run) => {
  schedule
    .command("add")
    .description("Add a schedule; its tasks have your rights, and calls that need approval wait")
    .argument("<name>", "name of the schedule", nonEmpty)
    .argument("<prompt>", "instruction of each task", nonEmpty)
    .requiredOption("--cron <expression>", 'Start tasks at these times, such as "0 6 * * 1-5"', nonEmpty)
    .option("--timezone <name>", "Use the times of this time zone (default: UTC)", nonEmpty)
    .option("--agent <name>", "Run the tasks as this profile (default: general)", nonEmpty)
    .option("--cwd <dir>", "Run the tasks in this directory (default: the current one)", nonEmpty)
    .option(
      "--overlap <rule>",
      "Choose what happens if the task before has not ended: skip, queue or cancel-running (default: skip)",
      nonEmpty,
    )
    .option("--catch-up-minutes <n>", "Start a missed task at most this late (default: 1440)", positiveInteger(525_600))
    .option("--pause-on-failure", "Pause the schedule if a task fails")
    .option("--budget-usd <amount>", "Limit each task to this cost in US dollars", nonNegativeNumber)
    .option(
      "--notify <name>",
      "Send approvals, questions and failures to this destination of notify; can be repeated (default: as configured)",
      collect,
    )
    .action(
      run.on("tasks", async (context, { client }, { args: [name = "", prompt = ""], flags }: CommandCall<AddFlags>) => {
        const cwd = context.options.server === undefined ? path.resolve(context.cwd, flags.cwd ?? ".") : flags.cwd
        const added = { name, schedule: scheduleOf(prompt, cwd, flags), actor: commandLineActor() }
        const view = await client.schedules.add(added)
        printResult(context, view, () => scheduleTable([view]))
        return 0
      }),
    )
}

const addChanges: AddPart = (schedule, run) => {
  for (const change of changeNames)
    schedule
      .command(change)
      .description(changes[change])
      .argument("<name>", "name of the schedule", nonEmpty)
      .action(
        run.on("tasks", async (context, { client }, { args: [name = ""] }) => {
          const changed = await client.schedules.change(name, { change, actor: commandLineActor() })
          printResult(context, changed, () => scheduleTable([changed]))
          return 0
        }),
      )
  schedule
    .command("delete")
    .description("Delete a schedule that was added, or that the configuration no longer has")
    .argument("<name>", "name of the schedule", nonEmpty)
    .action(
      run.on("tasks", async (context, { client }, { args: [name = ""] }) => {
        await client.schedules.delete(name, commandLineActor())
        printResult(context, { deleted: name }, () => `The schedule ${name} was deleted.`)
        return 0
      }),
    )
}

export const scheduleCommand: CommandModule = (program, run) => {
  const schedule = program
    .command("schedule")
    .description("List, add and change schedules: those of the configuration, and those that were added")
  schedule
    .command("list")
    .description("List the schedules with their next times")
    .action(
      run.on("tasks", async (context, { client }) => {
        const items = [...(await client.schedules.list())]
        printResult(context, { items }, () => (items.length === 0 ? "No schedules." : scheduleTable(items)))
        return 0
      }),
    )
  addAdd(schedule, run)
  addChanges(schedule, run)
}
