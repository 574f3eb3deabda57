import { wrongUsage } from "../../program/wrong-usage.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import type { CommandModule, TargetCall } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { printResult } from "../../text/print-result.ts"
import { withHost } from "../../host/with-host.ts"
import { bindingText } from "../../text/binding-text.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"

interface FocusFlags extends TargetFlags {
  readonly thread: string
  readonly channel?: string
}

export const focusCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "focus",
    "Bind a thread of a channel to a task: messages in the thread are sent to the task, and its answers to the thread",
  )
    .requiredOption("--thread <key>", "Bind this thread, by the key that the channel uses", nonEmpty)
    .option("--channel <name>", "Use this channel; required if several are configured", nonEmpty)
    .action(
      run.onTask("engine", async (context, { client }, { sessionId, flags }: TargetCall<FocusFlags>) => {
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

interface UnfocusFlags {
  readonly thread?: string
  readonly channel?: string
}

export const unfocusCommand: CommandModule = (program, run) => {
  program
    .command("unfocus")
    .description("Release a task or a thread from its binding")
    .argument("[target]", "task id, checkpoint id or label", nonEmpty)
    .option("--thread <key>", "Release this thread, by the key that the channel uses, instead of a task", nonEmpty)
    .option("--channel <name>", "Use this channel; required if several are configured", nonEmpty)
    .action(
      run<UnfocusFlags>((context, { args: [target], flags }) => {
        const { thread, channel } = flags
        if ((target === undefined) === (thread === undefined)) throw wrongUsage("name either a task or --thread")
        return withHost(context, "engine", async ({ client }) => {
          const place = { threadKey: thread ?? "", ...(channel === undefined ? {} : { channel }) }
          const sessionId =
            target === undefined ? await client.channels.sessionOf(place) : await client.resolveTarget(target)
          const binding = await client.channels.unfocus(sessionId, commandLineActor())
          printResult(context, binding, () => `Task ${sessionId} is no longer bound to a thread.`)
          return 0
        })
      }),
    )
}
