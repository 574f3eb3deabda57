import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import type { TaskClient } from "../../../client/task-client.ts"
import type { PendingApproval } from "../../../sessions/pauses/approval.ts"
import type { CommandCall, CommandModule } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import { placeFlags } from "../../program/place-flags.ts"
import { approvalText } from "../../text/approval-text.ts"

interface ApprovalsFlags {
  readonly root?: string
  readonly whole?: true
}

type PreviewReader = Pick<TaskClient, "preview">

/** Returns a call with all of its preview. One that was decided in the meantime is shown as it was listed. */
const withWholePreview = async (
  client: PreviewReader,
  sessionId: string,
  call: PendingToolCall,
): Promise<PendingToolCall> => {
  if (call.preview.is_cut !== true) return call
  try {
    return { ...call, preview: await client.preview(sessionId, call.id) }
  } catch (error) {
    if (isAdjutantError(error) && error.code === "call_not_found") return call
    throw error
  }
}

const wholeApproval = async (client: PreviewReader, approval: PendingApproval): Promise<PendingApproval> => {
  const pending: PendingToolCall[] = []
  for (const call of approval.pending) pending.push(await withWholePreview(client, approval.session_id, call))
  return { ...approval, pending }
}

export const approvalsCommand: CommandModule = (program, run) => {
  program
    .command("approvals")
    .description("List the calls and questions that wait for a person")
    .option("--root <id>", "List only those of this task and everything below it", nonEmpty)
    .option("--whole", "Show each change whole, however long it is")
    .action(
      run.on("reading", async (context, { client }, { flags }: CommandCall<ApprovalsFlags>) => {
        const { root, whole } = flags
        const listed = await client.approvals(
          root === undefined ? {} : { root: (await client.inspectTarget(root)).session_id },
        )
        const items: PendingApproval[] = []
        for (const approval of listed.items)
          items.push(whole === true ? await wholeApproval(client, approval) : approval)
        const page = { ...listed, items }
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
