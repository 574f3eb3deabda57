import { InvalidArgumentError } from "commander"
import { delegationToolsets, type Toolset, toolsetNames } from "../../../mcp/mcp-context.ts"
import type { CommandModule } from "../../program/command.ts"
import { type McpFlags, serveClient } from "../../mcp/serve-client.ts"
import { callerNamePattern, defaultCallerName } from "../../../domain/caller/caller-id.ts"
import { nonEmpty, positiveInteger } from "../../program/option-parsers.ts"

const parseToolsets = (value: string): readonly Toolset[] => {
  const wanted = value.split(",").map((name) => name.trim())
  const unknown = wanted.filter((name) => !toolsetNames.some((known) => known === name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(`use ${toolsetNames.join(", ")}, separated by commas; not ${unknown.join(", ")}`)
  return toolsetNames.filter((name) => wanted.includes(name))
}

const parseCaller = (value: string): string => {
  if (!callerNamePattern.test(value))
    throw new InvalidArgumentError("use at most 64 letters, digits, dots, underscores and hyphens")
  return value
}

/** Less than the minute after which clients stop waiting by default. */
const startWaitSeconds = 45

export const mcpCommand: CommandModule = (program, run) => {
  program
    .command("mcp")
    .description(
      "Serve the delegation tools to one MCP client on stdin and stdout, with a worker for all tasks of this store. The first call that needs Temporal starts it. When stdin closes, calls in flight finish and the command exits.",
    )
    .option(
      "--toolsets <names>",
      "Offer these families of tools, separated by commas: tasks, task, sessions, profiles; profiles lets the client change the profiles in the store, and requires profiles.source: store",
      parseToolsets,
      delegationToolsets,
    )
    .option("--no-approve", "Refuse approvals from the client; approve with `adjutant resume` instead")
    .option(
      "--caller <name>",
      "Set the name of this client; it reaches the tasks that clients of this name started in this project",
      parseCaller,
      defaultCallerName,
    )
    .option("--all-sessions", "Allow the client to use every session of this store, not only the tasks that it started")
    .option("--cwd <dir>", "Run the sub-agents in this directory (default: the current one)", nonEmpty)
    .option(
      "--start-wait <seconds>",
      "Return an error if Temporal does not start within this many seconds and the client accepts no progress",
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
