import { spawn } from "node:child_process"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { requestPageLink } from "../../../service/ask-service.ts"
import { serviceFiles } from "../../../service/service-files.ts"
import type { CommandModule } from "../command.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { printResult } from "../../text/print-result.ts"
import { startServiceFor } from "../../service/start-service-for.ts"

interface OpenFlags {
  readonly browser: boolean
}

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: "xdg-open", darwin: "open" }

/** Opens an address in the browser of this machine. Without one, the printed address has to do. */
const openInBrowser = (address: string): void => {
  const program = openers[process.platform]
  if (program === undefined) return
  const child = spawn(program, [address], { detached: true, stdio: "ignore" })
  child.once("error", () => undefined)
  child.unref()
}

/** Adds `adjutant open`: the page of the service, which it starts if none answers. */
export const openCommand: CommandModule = (program, run) => {
  program
    .command("open")
    .description("Print a link that signs in to the web page once, and open it in a browser at a terminal")
    .option("--no-browser", "Print the link and open nothing")
    .action(
      run<OpenFlags>(async (context, { flags }) => {
        const { dataDir } = await loadHostConfig(context)
        const { socket } = await startServiceFor(context, dataDir)
        const { url, link } = await requestPageLink(socket)
        const page = link ?? url
        if (page === null)
          throw new AdjutantError(
            "service_unavailable",
            `the service answers on its socket only, and has no page: ${serviceFiles(dataDir).log} says why`,
          )
        printResult(context, { page, signs_in: link !== null }, () => page)
        if (link === null) context.io.stderr.write("a token is configured: enter it on the page\n")
        if (flags.browser && context.person !== undefined) openInBrowser(page)
        return 0
      }),
    )
}
