import { InvalidArgumentError } from "commander"
import { type Toolset, toolsetNames } from "../../../mcp/mcp-context.ts"
import type { CommandModule } from "../../program/command.ts"
import { type McpFlags, serveClient } from "../../mcp/serve-client.ts"
import { nonEmpty, positiveInteger } from "../../program/option-parsers.ts"

const parseToolsets = (value: string): readonly Toolset[] => {
  const wanted = value.split(",").map((name) => name.trim())
  const unknown = wanted.filter((name) => !toolsetNames.some((known) => known === name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(
      `It takes ${toolsetNames.join(", ")}, separated by commas; not: ${unknown.join(", ")}.`,
    )
  return toolsetNames.filter((name) => wanted.includes(name))
}

/** Below the minute after which clients stop waiting by default. */
const startWaitSeconds = 45

export const mcpCommand: CommandModule = (program, run) => {
  program
    .command("mcp")
    .description(
      "Serves the delegation tools to one MCP client on stdin and stdout, with a worker for all tasks of this store. Answers at once; the first call that needs Temporal starts it. Ends when stdin closes; calls in flight finish first.",
    )
    .option("--toolsets <names>", "families of tools to offer: tasks, task, sessions", parseToolsets, toolsetNames)
    .option("--no-approve", "take no approvals from the client: only a person can approve, by other ways")
    .option("--cwd <dir>", "working directory of the sub-agents", nonEmpty)
    .option(
      "--start-wait <seconds>",
      "answer a call with an error when Temporal is not there after so long, where the client takes no progress",
      positiveInteger(86_400),
      startWaitSeconds,
    )
    .action(
      run<McpFlags>(async (context, { flags }) => {
        await serveClient(context, flags)
        return 0
      }),
    )
}
