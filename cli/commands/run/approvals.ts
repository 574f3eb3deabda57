import type { CommandModule } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printResult } from "../../print-result.ts"
import { approvalText } from "../../text/approval-text.ts"

interface ApprovalsFlags {
  readonly root?: string
}

export const approvalsCommand: CommandModule = (program, run) => {
  program
    .command("approvals")
    .description("Lists all that waits for a person: calls to be decided and questions to be answered.")
    .option("--root <id>", "only of this tree", nonEmpty)
    .action(
      run.onHost<ApprovalsFlags>(async (context, { client }, { flags }) => {
        const page = await client.approvals(flags)
        printResult(context, page, () =>
          page.items.length === 0
            ? "Nothing waits for a person."
            : page.items.map((approval) => approvalText(approval, Date.now())).join("\n\n"),
        )
        return 0
      }),
    )
}
