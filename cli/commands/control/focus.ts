import { commandLineActor } from "../../actor.ts"
import type { CommandModule } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printResult } from "../../print-result.ts"
import { bindingText } from "../../text/binding-text.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

interface FocusFlags extends TargetFlags {
  readonly thread: string
  readonly channel?: string
}

export const focusCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "focus",
    "Binds a channel's thread to a task: what is written there reaches it, and its answers go there.",
  )
    .requiredOption("--thread <key>", "the thread, as the channel names it", nonEmpty)
    .option("--channel <name>", "which channel, where several are configured", nonEmpty)
    .action(
      run.onTarget<FocusFlags>(async (context, { client }, { sessionId, flags }) => {
        const binding = await client.channels.focus({
          sessionId,
          threadKey: flags.thread,
          ...(flags.channel === undefined ? {} : { channel: flags.channel }),
          actor: commandLineActor(),
        })
        printResult(context, binding, () => bindingText(binding))
        return 0
      }),
    )
}
