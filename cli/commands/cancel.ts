import type { CommandModule } from "../build-program.ts"
import { cancelSession } from "../cancel-session.ts"
import { printResult } from "../print-result.ts"
import { withHost } from "../with-host.ts"

export const cancelCommand: CommandModule = (program, run) => {
  program
    .command("cancel")
    .description(
      "Cancels a task and all its children, and answers with the final status. A task that is final stays as it is.",
    )
    .argument("<target>", "task id, checkpoint id or label")
    .action(
      run((context, { args: [target = ""] }) =>
        withHost(context, async (host) => {
          const sessionId = await host.client.resolveTarget(target)
          const status = await cancelSession(context, host, sessionId)
          printResult(
            context,
            { task_id: sessionId, session_id: sessionId, status },
            () => `Task ${sessionId}: ${status}.`,
          )
          return 0
        }),
      ),
    )
}
