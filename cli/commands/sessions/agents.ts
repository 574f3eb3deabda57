import { findProfile, profileNames } from "../../../domain/prompts/builtin-profiles.ts"
import type { CommandModule } from "../../program/command.ts"
import { printResult } from "../../print-result.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { oneLine } from "../../text/plain-text.ts"
import { table } from "../../text/table.ts"

const describeAgents = async ({ loaded, store }: SessionHost) => {
  const { agents } = loaded.config
  const open = await store.sessions.listOpen()
  return profileNames(agents).map((id) => {
    const profile = findProfile(id, agents)
    return {
      id,
      type: profile?.type ?? "llm",
      delegation: profile?.type === "llm" ? (profile.delegation ?? "none") : "none",
      description: profile?.description ?? null,
      active: open.filter((row) => row.agent === id && row.deletedAt === null).length,
    }
  })
}

export const agentsCommand: CommandModule = (program, run) => {
  program
    .command("agents")
    .description("List the profiles that agents can run as, with the number of their open tasks")
    .action(
      run.onHost(async (context, host) => {
        const items = await describeAgents(host)
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
