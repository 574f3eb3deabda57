import { converse } from "../../conversation/converse.ts"
import type { CommandModule } from "../command.ts"

const hint = `
Each line that you type is a message: the first one starts a task, the next ones continue it. A line
that begins with a slash is a command of the conversation; /help lists them.

At a terminal, adjutant without a command does the same.

Examples:
  adjutant
  adjutant chat --server https://adjutant.example.org`

export const chatCommand: CommandModule = (program, run) => {
  program
    .command("chat")
    .description("Open a conversation with an agent at this terminal, and decide about its calls in between")
    .addHelpText("after", hint)
    .action(run((context) => converse(context)))
}
