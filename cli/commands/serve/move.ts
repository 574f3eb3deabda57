import { moveDataDir } from "../../move/move-data-dir.ts"
import type { CommandModule } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

interface MoveFlags {
  readonly yes?: boolean
}

const examples = `
Everything that is moved stays stopped until "adjutant resume" continues it, task by task. Its programs, servers and hooks
are shown and asked about again, its grants end, and deliveries that were waiting are dismissed.

Examples:
  adjutant move ../old-name      the project was renamed: take its tasks over
  adjutant move .adjutant        take over a data directory of an older version`

export const moveCommand: CommandModule = (program, run) => {
  program
    .command("move")
    .description("Take over the tasks of another project or data directory, after showing them")
    .argument("<from>", "the other project's directory, which may no longer exist, or a data directory", nonEmpty)
    .option("--yes", "Skip the confirmation")
    .addHelpText("after", examples)
    .action(
      run<MoveFlags>((context, { args: [from = ""], flags }) =>
        moveDataDir(context, { from, isConfirmed: flags.yes === true }),
      ),
    )
}
