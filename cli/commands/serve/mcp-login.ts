import type { McpHttpServer } from "../../../contracts/config/config-services.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { CommandModule } from "../command.ts"
import { loadHostConfig } from "../../program/load-host-config.ts"
import { printResult } from "../../text/print-result.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface LoginFlags {
  readonly scope?: string
  readonly remove?: boolean
}

const findServer = async (context: CliContext, name: string): Promise<McpHttpServer> => {
  const { config } = await loadHostConfig(context)
  const server = Object.hasOwn(config.mcpServers, name) ? config.mcpServers[name] : undefined
  if (server === undefined) {
    const known = Object.keys(config.mcpServers).join(", ")
    throw wrongUsage(
      `no MCP server ${oneLine(name, 100)} is configured${known === "" ? "" : `; mcpServers has ${known}`}`,
    )
  }
  if (!("url" in server))
    throw wrongUsage(`MCP server ${name} is a program, which needs no login: set its secrets with envFrom`)
  if (server.oauth?.grant === "client_credentials")
    throw wrongUsage(`MCP server ${name} needs no login: mcpServers.${name}.oauth has credentials of the client`)
  return server
}

export const mcpLoginCommand: CommandModule = (program, run) => {
  program
    .command("mcp-login")
    .description("Log in at an MCP server that requires it, with a browser on this machine")
    .argument("<server>", "the name of the server in mcpServers")
    .option("--scope <scopes>", "Add these scopes to the request, separated by spaces")
    .option("--remove", "Remove the login instead")
    .action(
      run<LoginFlags>(async (context, { args: [name = ""], flags }) => {
        const config = await findServer(context, name)
        const { logInToServer, logOutOfServer } = await import("../../../worker/probe/log-in-to-server.ts")
        if (flags.remove === true) {
          const removed = await logOutOfServer(config.url, context.env)
          printResult(context, { server: name, removed }, () =>
            removed ? `the login at ${name} is removed` : `there is no login at ${name}`,
          )
          return 0
        }
        const tools = await logInToServer({
          server: name,
          config,
          env: context.env,
          scope: flags.scope,
          show: ({ href }) =>
            void context.io.stderr.write(`open this address in a browser on this machine:\n  ${href}\n`),
          signal: context.interrupts.signal,
        })
        printResult(context, { server: name, tools }, () => `logged in at ${name}, which has ${tools} tools`)
        return 0
      }),
    )
}
