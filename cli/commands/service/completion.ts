import { Argument } from "commander"
import { type Candidate, candidatesFor, type StoredNames } from "../../completion/candidates.ts"
import { candidateLine, completionScript, type Shell, shells } from "../../completion/shells.ts"
import { withHost } from "../../host/with-host.ts"
import type { CommandModule } from "../command.ts"
import type { CommandContext, ReadingHost } from "../../host/hosts.ts"
import { statusWords } from "../../../domain/operator/status-words.ts"

const examples = `
Examples:
  source <(adjutant completion bash)                  # in ~/.bashrc
  source <(adjutant completion zsh)                   # in ~/.zshrc, after compinit
  adjutant completion fish | source                   # in ~/.config/fish/config.fish`

const mostTasks = 100

/** Reads names of the store, and changes nothing. */
const storedNames = (context: CommandContext): StoredNames => {
  const read = async (names: (client: ReadingHost["client"]) => Promise<readonly Candidate[]>) => {
    let found: readonly Candidate[] = []
    const use = async ({ client }: ReadingHost) => {
      found = await names(client)
      return 0 as const
    }
    await withHost(context, "reading", use)
    return found
  }
  return {
    tasks: () =>
      read(async (client) => {
        const { items } = await client.list({ limit: mostTasks })
        return items.flatMap((session) => {
          const about = `${statusWords(session)} · ${session.title ?? session.agent}`
          return [session.id, ...(session.label === null ? [] : [session.label])].map((word) => ({ word, about }))
        })
      }),
    checkpoints: () =>
      read(async (client) => {
        const { items } = await client.approvals({})
        return items.map(({ checkpoint_id: word, title, agent }) => ({ word, about: title ?? agent }))
      }),
    profiles: () =>
      read(async (client) =>
        (await client.profiles.list()).map(({ id, description }) => ({ word: id, about: description ?? "" })),
      ),
  }
}

export const completionCommand: CommandModule = (program, run) => {
  program
    .command("completion")
    .description("Print the script with which a shell completes commands, options, task ids and labels")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .argument("[words...]", "what is typed so far: prints what can complete the last word, as the script asks for it")
    .addHelpText("after", examples)
    .action(
      run(async (context, { args: [name = "", ...words] }) => {
        const shell: Shell = shells.find((each) => each === name) ?? "bash"
        if (words.length === 0) {
          context.io.stdout.write(completionScript(shell))
          return 0
        }
        const found = await candidatesFor(program, words, storedNames(context))
        if (found.length > 0) context.io.stdout.write(`${found.map((each) => candidateLine(shell, each)).join("\n")}\n`)
        return 0
      }),
    )
}
