import type { CommandModule } from "../../program/command.ts"
import { findTargets } from "../../find-targets.ts"
import { printResult } from "../../print-result.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"
import { sessionText } from "../../text/session-text.ts"

export const infoCommand: CommandModule = (program, run) => {
  targetCommand(program, "info", "Shows one task: status, limits used, what it waits for, its last message.").action(
    run.onHost<TargetFlags>(async (context, { client }, { args: [target = ""], flags }) => {
      const ids = await findTargets(client, target, flags.parent)
      const items = await Promise.all(ids.map((id) => client.info(id)))
      const text = () => items.map(sessionText).join("\n\n")
      printResult(context, target === "all" ? { items, next_cursor: null } : items[0], text)
      return 0
    }),
  )
}
