import type { CommandModule } from "../../program/command.ts"
import { printResult } from "../../print-result.ts"
import { agentsText } from "../../text/agents-text.ts"
import { listAgents } from "../../../sessions/channels/agents-view.ts"

export const agentsCommand: CommandModule = (program, run) => {
  program
    .command("agents")
    .description(
      "List the profiles that agents can run as, with their open tasks and the threads that these are bound to",
    )
    .action(
      run.onHost(async (context, host) => {
        const items = await listAgents(host)
        printResult(context, { items, next_cursor: null }, () => agentsText(items))
        return 0
      }),
    )
}
