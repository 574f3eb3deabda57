import { localApiToken } from "../../../config/data-dir/api-token.ts"
import { printResult } from "../../text/print-result.ts"
import type { CommandModule } from "../command.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"

export const tokenCommand: CommandModule = (program, run) => {
  program
    .command("token")
    .description(
      "Print the token that the HTTP API of this project requires if none is configured; it is created if there is none yet",
    )
    .action(
      run(async (context) => {
        const { dataDir } = await loadHostConfig(context)
        const token = await localApiToken(dataDir)
        printResult(context, { token }, () => token)
        return 0
      }),
    )
}
