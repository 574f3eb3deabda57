import { shellQuote } from "../../../domain/text/shell-quote.ts"
import { printResult } from "../../text/print-result.ts"
import type { CommandModule } from "../command.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface SandboxFlags {
  readonly clean?: boolean
}

export const sandboxCommand: CommandModule = (program, run) => {
  program
    .command("sandbox")
    .description(
      "Run a command as Bash runs those of agents: in the same sandbox, with the same environment. A single argument is a line for bash; `adjutant doctor` lists what is visible",
    )
    .argument("[command...]", "the command, after --")
    .option("--clean", "Erase what the package managers of this project's commands have downloaded")
    .action(
      run<SandboxFlags>(async (context, { args, flags }) => {
        const { runConfined, eraseCacheLayer } = await import("../../../worker/probe/run-confined.ts")
        const loaded = await loadHostConfig(context)
        const { io, env, cwd, interrupts } = context
        if (flags.clean === true) {
          if (args.length > 0) throw wrongUsage("--clean runs no command: omit one of the two")
          const bytes = await eraseCacheLayer(loaded.dataDir, env)
          printResult(context, { bytes }, () => `erased ${Math.ceil(bytes / 1024 / 1024)} MiB`)
          return 0
        }
        const [only] = args
        if (only === undefined)
          throw wrongUsage("a command is missing: write it after --, as in adjutant sandbox -- npm test")
        const decoder = new TextDecoder()
        const { exitCode, notices } = await runConfined(loaded, {
          ...{ cwd, env, signal: interrupts.signal },
          command: args.length === 1 ? only : args.map(shellQuote).join(" "),
          onOutput: (chunk) => void io.stdout.write(decoder.decode(chunk, { stream: true })),
        })
        for (const notice of notices) io.stderr.write(`${notice}\n`)
        if (exitCode !== 0) io.stderr.write(`exit code ${exitCode ?? "unknown"}\n`)
        return exitCode === 0 ? 0 : 1
      }),
    )
}
