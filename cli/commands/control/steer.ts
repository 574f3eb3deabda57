import type { CommandModule } from "../../program/command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { sendText } from "../../send-text.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"

interface SteerFlags extends TargetFlags {
  readonly promptFile?: string
}

export const steerCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "steer",
    "Redirects a running or paused task: calls not yet started are skipped, and the model goes on with this text.",
  )
    .argument("[text]", "what to do instead; `-` reads it from stdin")
    .option("--prompt-file <file>", "read the text from a file", nonEmpty)
    .action(
      run<SteerFlags>((context, { args: [target = "", text], flags }) =>
        sendText(context, {
          target,
          parent: flags.parent,
          type: "steering",
          argument: text,
          promptFile: flags.promptFile,
        }),
      ),
    )
}
