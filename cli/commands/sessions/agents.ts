import type { CommandModule } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { oneLine, plainText } from "../../terminal/plain-text.ts"
import { columnsOf, table } from "../../text/table.ts"
import type { AgentListItem } from "../../../contracts/http/agents.ts"

const mostShown = 50

/** Returns the profiles as a table and, below it, their sessions that are open or bound to a thread. */
export const agentsText = (agents: readonly AgentListItem[], columns?: number): string => {
  const profiles = table(
    ["AGENT", "TYPE", "DELEGATION", "ACTIVE", "DESCRIPTION"],
    agents.map((each) => [
      each.id,
      each.type,
      each.delegation,
      String(each.active),
      oneLine(each.description ?? "", 80),
    ]),
    { columns, dropped: ["DELEGATION", "TYPE"] },
  )
  const sessions = agents.flatMap(({ id: agent, sessions: own }) => own.map((session) => ({ ...session, agent })))
  if (sessions.length === 0) return profiles
  const tasks = table(
    ["TASK", "AGENT", "STATUS", "THREAD", "LABEL"],
    sessions
      .slice(0, mostShown)
      .map(({ id, agent, status, thread, label }) => [
        id,
        agent,
        status,
        thread === null ? "unbound" : `${oneLine(plainText(thread.key), 60)} of ${thread.channel}`,
        oneLine(label ?? "", 60),
      ]),
    { columns },
  )
  const omitted = sessions.length - mostShown
  return [profiles, "", tasks, ...(omitted > 0 ? [`… and ${omitted} more: run "adjutant list"`] : [])].join("\n")
}

export const agentsCommand: CommandModule = (program, run) => {
  program
    .command("agents")
    .description(
      "List the profiles that agents can run as, with their open tasks and the threads that these are bound to",
    )
    .action(
      run.on("reading", async (context, { client }) => {
        const items = await client.profiles.list()
        printResult(context, { items, next_cursor: null }, () => agentsText(items, columnsOf(context.io.stdout)))
        return 0
      }),
    )
}
