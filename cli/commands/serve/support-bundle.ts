import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { pack } from "../../move/archive.ts"
import { printResult } from "../../text/print-result.ts"
import type { CommandModule } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { collectBundle, type BundleFile } from "../../support/collect-bundle.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface SupportFlags {
  readonly yes?: boolean
}

const examples = `
The bundle contains versions, the shape of the configuration, what doctor finds, which tasks failed with which code, and
the warnings of the service's log. Secrets, paths, and the texts of tasks and of the configuration are left out. Everything
is shown before it is written.

Examples:
  adjutant support-bundle                        shows the bundle and asks
  adjutant support-bundle --yes problem.tgz      writes it without a question`

const bundleText = (files: readonly BundleFile[]): string =>
  [
    ...files.map(({ name, content }) => `== ${name} ==\n${content}`),
    `Files: ${files.map(({ name, content }) => `${name} (${Buffer.byteLength(content)} bytes)`).join(", ")}`,
  ].join("\n")

const write = async (files: readonly BundleFile[], to: string): Promise<void> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-support-"))
  try {
    for (const { name, content } of files) await writeFile(path.join(folder, name), content)
    await pack(folder, to)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const supportBundleCommand: CommandModule = (program, run) => {
  program
    .command("support-bundle")
    .description("Show what a report about a problem needs, without secrets and texts of tasks, and write it to a file")
    .argument("[file]", "the file to write (default: adjutant-support.tgz)", nonEmpty)
    .option("--yes", "Write the file without a question; required where nobody can be asked")
    .addHelpText("after", examples)
    .action(
      run<SupportFlags>(async (context, { args: [file = "adjutant-support.tgz"], flags }) => {
        const to = path.resolve(context.cwd, file)
        if (existsSync(to)) throw wrongUsage(`${to} exists: name another file`)
        const files = await collectBundle(context)
        printResult(context, { file: to, files }, () => bundleText(files))
        const { confirm, io } = context
        const isWritten = flags.yes === true || (await confirm?.(`Write these files to ${to}? [y/N] `)) === true
        if (isWritten) await write(files, to)
        io.stderr.write(
          isWritten
            ? `Wrote ${to}.\n`
            : `Nothing was written${confirm === undefined ? ": add --yes to write it" : ""}.\n`,
        )
        return isWritten ? 0 : 1
      }),
    )
}
