import type { CommandModule } from "../build-program.ts"
import { nonEmpty } from "../option-parsers.ts"
import { sendText } from "../send-text.ts"

interface SteerFlags {
  readonly promptFile?: string
}

export const steerCommand: CommandModule = (program, run) => {
  program
    .command("steer")
    .description(
      "Redirects a running or paused task: calls not yet started are skipped, and the model goes on with this text.",
    )
    .argument("<target>", "task id, checkpoint id or label")
    .argument("[text]", "what to do instead; `-` reads it from stdin")
    .option("--prompt-file <file>", "read the text from a file", nonEmpty)
    .action(
      run<SteerFlags>((context, { args: [target = "", text], flags }) =>
        sendText(context, { target, type: "steering", argument: text, promptFile: flags.promptFile }),
      ),
    )
}
