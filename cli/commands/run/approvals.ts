import type { CommandModule } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printResult } from "../../print-result.ts"
import { placeFlags } from "../../program/place-flags.ts"
import { approvalText } from "../../text/approval-text.ts"

interface ApprovalsFlags {
  readonly root?: string
}

export const approvalsCommand: CommandModule = (program, run) => {
  program
    .command("approvals")
    .description("List the calls and questions that wait for a person")
    .option("--root <id>", "List only those of this task and everything below it", nonEmpty)
    .action(
      run.readTasks<ApprovalsFlags>(async (context, { client }, { flags }) => {
        const { root } = flags
        const page = await client.approvals(
          root === undefined ? {} : { root: (await client.inspectTarget(root)).session_id },
        )
        printResult(context, page, (paint) =>
          page.items.length === 0
            ? "Nothing is waiting for a person."
            : page.items
                .map((approval) => approvalText(approval, { now: Date.now(), paint, place: placeFlags(context) }))
                .join("\n\n"),
        )
        return 0
      }),
    )
}
