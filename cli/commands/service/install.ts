import { mkdir, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { packageRoot } from "../../../config/package-root.ts"
import { systemdUnit, unitName } from "../../../service/systemd-unit.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import type { CommandModule, CommandRunner } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface InstallFlags {
  readonly yes?: boolean
}

/** Adds the command that lets the user's systemd run the service. It starts and enables nothing. */
export const addInstall = (service: Parameters<CommandModule>[0], run: CommandRunner): void => {
  service
    .command("install")
    .description(
      "Write a user unit of systemd that runs the service, and print the commands that enable it. Asks first, unless --yes is given.",
    )
    .option("--yes", "Write the file without asking")
    .action(
      run<InstallFlags>(async (context, { flags }) => {
        const { env, confirm, io } = context
        const { projectRoot, dataDir, config } = await loadHostConfig(context)
        const place = { projectRoot, dataDir, command: [process.execPath, path.join(packageRoot(), "bin/adjutant.js")] }
        const folder = path.join(env["XDG_CONFIG_HOME"] ?? path.join(os.homedir(), ".config"), "systemd/user")
        const file = path.join(folder, unitName(place))
        const unit = systemdUnit(place)
        if (flags.yes !== true) {
          if (confirm === undefined) throw wrongUsage("nobody can be asked: add --yes to write the unit")
          if (!(await confirm(`${unit}\nWrite this to ${file}? [y/N] `))) return 1
        }
        await mkdir(folder, { recursive: true })
        await writeFile(file, unit)
        const enable = `systemctl --user daemon-reload && systemctl --user enable --now ${path.basename(file)}`
        if (config.http.tokens.length > 0)
          io.stderr.write(
            "the unit contains no secrets: give it those of http.tokens with LoadCredential= or EnvironmentFile=\n",
          )
        printResult(context, { file, enable }, () =>
          [
            `Wrote ${file}`,
            "To start it now and at each login:",
            `  ${enable}`,
            "To keep it without a login:",
            "  loginctl enable-linger",
          ].join("\n"),
        )
        return 0
      }),
    )
}
