import { Option } from "commander"
import type { CommandCall, CommandModule } from "../command.ts"
import type { SearchHit } from "../../../contracts/http/sessions.ts"
import type { Status } from "../../../contracts/status.ts"
import { withoutUndefined } from "../../../domain/without-undefined.ts"
import { nonEmpty, positiveInteger } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { placeFlags, withWords } from "../../program/place-flags.ts"
import type { Paint } from "../../terminal/paint.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { listTable, sessionText } from "../../text/session-text.ts"
import { columnsOf, table } from "../../text/table.ts"
import { withHost } from "../../host/with-host.ts"
import type { ExitCode } from "../../terminal/exit-code.ts"
import type { ReadingHost } from "../../host/hosts.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"
import { findTargets, targetCommand, type TargetFlags } from "../../program/target-command.ts"

interface ListFlags {
  readonly status?: Status
  readonly agent?: string
  readonly parent?: string
  readonly root?: string
  readonly limit?: number
  readonly cursor?: string
  readonly archived?: true
  readonly search?: string
  readonly allProjects?: true
}

const statuses: readonly Status[] = ["pending", "running", "paused", "completed", "failed", "cancelled", "timed_out"]

export const listCommand: CommandModule = (program, run) => {
  program
    .command("list")
    .description("List tasks, newest first")
    .addOption(new Option("--status <status>", "List only tasks with this status").choices(statuses))
    .option("--agent <name>", "List only tasks of this profile", nonEmpty)
    .option("--parent <id>", "List only children of this task", nonEmpty)
    .option("--root <id>", "List only this task and everything below it", nonEmpty)
    .option("--archived", "List only archived tasks, which the list otherwise omits")
    .option(
      "--search <text>",
      "List only tasks whose title, label or id contains this text, in upper or lower case; below them, where transcripts, calls and names of changed files contain it",
      nonEmpty,
    )
    .option("--limit <n>", "List at most this many, 1 to 1000 (default: 50)", positiveInteger(1000))
    .option("--all-projects", "List the tasks of all your projects on this machine; --limit is that of each project")
    .option("--cursor <cursor>", "Continue after the last page, which printed this cursor", nonEmpty)
    .action(
      run<ListFlags>(async (context, { flags }) =>
        flags.allProjects === true
          ? await listProjects(context, flags)
          : await withHost(context, "reading", ({ client }) => listTasks(context, client, flags)),
      ),
    )
}

/** Lists the tasks of all projects. What names a task or a page of one project is refused. */
const listProjects = async (
  context: CliContext,
  { parent, root, cursor, search, allProjects: _all, ...filter }: ListFlags,
): Promise<ExitCode> => {
  if (parent !== undefined || root !== undefined || cursor !== undefined)
    throw wrongUsage("--all-projects excludes --parent, --root and --cursor")
  if (context.options.server !== undefined) throw wrongUsage("--all-projects works on this machine only: omit --server")
  const { listAllProjects } = await import("../../projects/list-all.ts")
  return await listAllProjects(context, { ...filter, ...withoutUndefined({ q: search }) })
}

const listTasks = async (context: CliContext, client: ReadingHost["client"], flags: ListFlags): Promise<ExitCode> => {
  const { parent, root, search, allProjects: _one, ...filter } = flags
  const resolved = async (target: string | undefined): Promise<string | undefined> =>
    target === undefined ? undefined : (await client.inspectTarget(target)).session_id
  const page = await client.list({
    ...filter,
    ...withoutUndefined({ parent: await resolved(parent), root: await resolved(root), q: search }),
  })
  const isNumbered = parent !== undefined
  const found = await findTexts(client, flags)
  const columns = columnsOf(context.io.stdout)
  printResult(context, { ...page, ...found }, (paint) =>
    listText([
      ...(page.items.length === 0 ? [] : [listTable(page.items, { now: Date.now(), isNumbered, paint, columns })]),
      ...(page.next_cursor === null ? [] : [`More: ${moreCommand(context, flags, page.next_cursor)}`]),
      ...(found === undefined ? [] : foundTexts(found, columns)),
    ]),
  )
  return 0
}

/** What a search finds in texts, next to the tasks that it finds by their names. */
type FoundTexts = { readonly found: readonly SearchHit[]; readonly found_is_complete: boolean }

/** Searches transcripts, calls and changed files, where a search is for all tasks. */
const findTexts = async (
  client: ReadingHost["client"],
  { search, status, agent, limit, parent, root, archived, cursor }: ListFlags,
): Promise<FoundTexts | undefined> => {
  if (search === undefined || (parent ?? root ?? archived ?? cursor) !== undefined) return undefined
  const answer = await client.search({ q: search, limit: Math.min(limit ?? 50, mostFound) })
  return {
    found: answer.items.filter(
      (hit) =>
        hit.kind !== "name" &&
        (status === undefined || hit.status === status) &&
        (agent === undefined || hit.agent === agent),
    ),
    found_is_complete: answer.is_complete,
  }
}

const mostFound = 100

const placeOfHit = ({ kind, tool }: SearchHit): string => {
  if (kind === "file") return "changed file"
  if (kind === "call") return tool ?? kind
  return kind === "result" ? `result of ${tool ?? "a call"}` : "message"
}

const foundTexts = ({ found, found_is_complete: isComplete }: FoundTexts, columns?: number): readonly string[] => [
  ...(found.length === 0
    ? []
    : [
        table(
          ["ID", "STATUS", "FOUND IN", "TEXT"],
          found.map((hit) => [hit.session_id, hit.status, placeOfHit(hit), oneLine(hit.excerpt, 100)]),
          { columns },
        ),
      ]),
  ...(isComplete ? [] : ["Older tasks were not searched: a longer text finds less, and looks further."]),
]

/** Returns the command that lists the next page of the same tasks. */
const moreCommand = (context: CliContext, { cursor: _read, ...filter }: ListFlags, nextCursor: string): string =>
  withWords("adjutant list", [
    ...Object.entries({ cursor: nextCursor, ...filter }).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, String(value)],
    ),
    ...placeFlags(context),
  ])

const listText = (parts: readonly string[]): string => (parts.length === 0 ? "No tasks." : parts.join("\n\n"))

export const infoCommand: CommandModule = (program, run) => {
  targetCommand(program, "info", "Show one task: its status, usage, pending calls and last message").action(
    run.on(
      "reading",
      async (context, { client, serviceLine }, { args: [target = ""], flags }: CommandCall<TargetFlags>) => {
        const ids = await findTargets(client, target, flags.parent)
        const items = await Promise.all(ids.map((id) => client.info(id)))
        const service = await serviceLine?.()
        const text = (paint: Paint) =>
          [...items.map((item) => sessionText(item, paint)), ...(service === undefined ? [] : [service])].join("\n\n")
        printResult(context, target === "all" ? { items, next_cursor: null } : items[0], text)
        return 0
      },
    ),
  )
}
