import { converse } from "../../conversation/converse.ts"
import type { CommandModule } from "../../program/command.ts"

const hint = `
At a terminal, adjutant without a command is the same.`

export const chatCommand: CommandModule = (program, run) => {
  program
    .command("chat")
    .description("Open a conversation with an agent at this terminal, and decide about its calls in between")
    .addHelpText("after", hint)
    .action(run((context) => converse(context)))
}
