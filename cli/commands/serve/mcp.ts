import { InvalidArgumentError } from "commander"
import { delegationToolsets, type Toolset, toolsetNames } from "../../../contracts/service/mcp-connection.ts"
import type { CommandModule } from "../command.ts"
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

export const mcpCommand: CommandModule = (program, run) => {
  program
    .command("mcp")
    .description(
      "Serve the delegation tools to one MCP client on stdin and stdout. The service of the data directory, which this starts, does the work: it continues when the client closes stdin, and the command exits.",
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
      "--answer-within <seconds>",
      "Answer each call within this time, for a client with another time limit; work that has not ended then continues (default: 45, and 270 for a client that asks for progress)",
      positiveInteger(86_400),
    )
    .action(
      run<McpFlags>(async (context, { flags }) => {
        await serveClient(context, flags)
        return 0
      }),
    )
}
