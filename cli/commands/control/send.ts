import type { CommandModule } from "../../program/command.ts"
import { sendText } from "../../send-text.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

interface SendFlags extends TargetFlags {
  readonly promptFile?: string
}

export const sendCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "send",
    "Sends a message to a task and returns: it answers an input pause, waits behind the current run, or starts the next one. To follow what comes of it, use `adjutant resume` or `adjutant wait`.",
  )
    .argument("[text]", "the message; `-` reads it from stdin")
    .option("--prompt-file <file>", "read the message from a file", nonEmpty)
    .action(
      run<SendFlags>((context, { args: [target = "", text], flags }) =>
        sendText(context, {
          target,
          parent: flags.parent,
          type: "follow_up",
          argument: text,
          promptFile: flags.promptFile,
        }),
      ),
    )
}
