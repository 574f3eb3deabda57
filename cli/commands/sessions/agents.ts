import { describeAgents } from "../../../domain/prompts/describe-agents.ts"
import type { CommandModule } from "../../program/command.ts"
import { printResult } from "../../print-result.ts"
import { oneLine } from "../../text/plain-text.ts"
import { table } from "../../text/table.ts"

export const agentsCommand: CommandModule = (program, run) => {
  program
    .command("agents")
    .description("List the profiles that agents can run as, with the number of their open tasks")
    .action(
      run.onHost(async (context, { loaded, store }) => {
        const items = describeAgents(loaded.config.agents, await store.sessions.listOpen())
        printResult(context, { items, next_cursor: null }, () =>
          table(
            ["AGENT", "TYPE", "DELEGATION", "ACTIVE", "DESCRIPTION"],
            items.map((each) => [
              each.id,
              each.type,
              each.delegation,
              String(each.active),
              oneLine(each.description ?? "", 80),
            ]),
          ),
        )
        return 0
      }),
    )
}
