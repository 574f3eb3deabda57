import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printResult } from "../../print-result.ts"
import { withHost } from "../../host/with-host.ts"

interface UnfocusFlags {
  readonly thread?: string
  readonly channel?: string
}

export const unfocusCommand: CommandModule = (program, run) => {
  program
    .command("unfocus")
    .description("Frees a task, or a thread, from its binding.")
    .argument("[target]", "task id, checkpoint id or label", nonEmpty)
    .option("--thread <key>", "instead of the task: the thread, as the channel names it", nonEmpty)
    .option("--channel <name>", "which channel, where several are configured", nonEmpty)
    .action(
      run<UnfocusFlags>((context, { args: [target], flags }) => {
        const { thread, channel } = flags
        if ((target === undefined) === (thread === undefined))
          throw new AdjutantError("invalid_argument", "name a task or --thread, and only one of the two")
        return withHost(context, async ({ client }) => {
          const place = { threadKey: thread ?? "", ...(channel === undefined ? {} : { channel }) }
          const sessionId =
            target === undefined ? await client.channels.sessionOf(place) : await client.resolveTarget(target)
          const binding = await client.channels.unfocus(sessionId, commandLineActor())
          printResult(context, binding, () => `Task ${sessionId} is bound to no thread any more.`)
          return 0
        })
      }),
    )
}
