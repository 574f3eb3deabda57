import { randomUUID } from "node:crypto"
import path from "node:path"
import { InvalidArgumentError } from "commander"
import { type Toolset, toolsetNames } from "../../mcp/mcp-context.ts"
import { serveMcpOverStdio } from "../../mcp/serve-mcp-over-stdio.ts"
import type { CommandModule } from "../build-program.ts"
import { nonEmpty } from "../option-parsers.ts"
import { packageVersion } from "../package-version.ts"
import { untilInterrupted } from "../until-interrupted.ts"
import { withHost } from "../with-host.ts"

interface McpFlags {
  readonly toolsets: readonly Toolset[]
  readonly approve: boolean
  readonly cwd?: string
}

const parseToolsets = (value: string): readonly Toolset[] => {
  const wanted = value.split(",").map((name) => name.trim())
  const unknown = wanted.filter((name) => !toolsetNames.some((known) => known === name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(
      `It takes ${toolsetNames.join(", ")}, separated by commas; not: ${unknown.join(", ")}.`,
    )
  return toolsetNames.filter((name) => wanted.includes(name))
}

export const mcpCommand: CommandModule = (program, run) => {
  program
    .command("mcp")
    .description(
      "Serves the delegation tools to one MCP client on stdin and stdout, with a worker for all tasks of this store. Ends when stdin closes; calls in flight finish first.",
    )
    .option("--toolsets <names>", "families of tools to offer: tasks, task, sessions", parseToolsets, toolsetNames)
    .option("--no-approve", "take no approvals from the client: only a person can approve, by other ways")
    .option("--cwd <dir>", "working directory of the sub-agents", nonEmpty)
    .action(
      run<McpFlags>((context, { flags }) =>
        withHost(
          context,
          async (host) => {
            const { failed } = await host.startWorker()
            const service = serveMcpOverStdio(
              {
                client: host.client,
                store: host.store,
                loaded: host.loaded,
                toolsets: flags.toolsets,
                noApprove: !flags.approve,
                logger: { error: (detail, message) => host.warn(warning(detail, message)) },
                caller: `stdio-${randomUUID()}`,
                cwd: path.resolve(context.cwd, flags.cwd ?? "."),
                redact: host.redact,
                version: packageVersion(),
              },
              { input: context.io.stdin, write: (text) => context.io.stdout.write(text) },
            )
            await Promise.race([service.ended, untilInterrupted(context.interrupts), failed])
            await service.close()
            return 0
          },
          { worker: true, daemon: true },
        ),
      ),
    )
}

const warning = (detail: Readonly<Record<string, unknown>>, message: string): string => {
  const { err } = detail
  return err instanceof Error ? `${message}: ${err.message}` : message
}
