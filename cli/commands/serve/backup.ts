import { backUp } from "../../move/backup.ts"
import { restore } from "../../move/restore.ts"
import type { CommandModule } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

interface BackupFlags {
  readonly files?: boolean
}

const backupExamples = `
The backup contains the transcripts and Temporal's file, without the token of the HTTP API and the keys of links and
decisions. Nothing may use the data directory meanwhile.

Examples:
  adjutant backup tasks.tgz             all tasks of this project
  adjutant backup --files tasks.tgz     with what open tasks changed in their directories`

export const backupCommand: CommandModule = (program, run) => {
  program
    .command("backup")
    .description("Write a backup of the data directory that restore takes over, on another machine or at another path")
    .argument("<file>", "the file to write", nonEmpty)
    .option("--files", "Add the files that open tasks changed: what differs from the last commit, and what they wrote")
    .addHelpText("after", backupExamples)
    .action(
      run<BackupFlags>((context, { args: [file = ""], flags }) =>
        backUp(context, { file, hasFiles: flags.files === true }),
      ),
    )
}

const restoreExamples = `
Directories below the old project become those below this one, and the files of the backup are brought back. Every task
stays stopped until "adjutant resume" continues it.

Examples:
  adjutant restore tasks.tgz                        into the data directory of this project
  adjutant restore tasks.tgz --data-dir ../tasks    into another one`

export const restoreCommand: CommandModule = (program, run) => {
  program
    .command("restore")
    .description("Take over a backup, into a data directory without tasks")
    .argument("<file>", "the backup", nonEmpty)
    .addHelpText("after", restoreExamples)
    .action(run<object>((context, { args: [file = ""] }) => restore(context, file)))
}
