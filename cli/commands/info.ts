import type { CommandModule } from "../build-program.ts"
import { printResult } from "../print-result.ts"
import { sessionText } from "../text/session-text.ts"
import { withHost } from "../with-host.ts"

export const infoCommand: CommandModule = (program, run) => {
  program
    .command("info")
    .description("Shows one task: status, limits used, what it waits for, its last message.")
    .argument("<target>", "task id, checkpoint id or label")
    .action(
      run((context, { args: [target = ""] }) =>
        withHost(context, async ({ client }) => {
          const session = await client.info(await client.resolveTarget(target))
          printResult(context, session, () => sessionText(session))
          return 0
        }),
      ),
    )
}
