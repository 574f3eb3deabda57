import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { stringify } from "yaml"
import { receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { conversations } from "./conversations.ts"

const mcpProgram = path.resolve(
  import.meta.dirname,
  "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
)

export interface UpgradeProject {
  readonly cwd: string
  /** The environment of every process that runs there. */
  readonly env: Readonly<Record<string, string>>
  /** Writes the configuration for a version. `takesConstants`: it does not know the variable that shortens them. */
  configure(takesConstants: boolean): Promise<void>
  /** Returns how many times a command of this name has run. */
  count(name: string): Promise<number>
  remove(): Promise<void>
}

interface Outside {
  readonly modelUrl: string
  readonly webhookUrl: string
  readonly channelUrl: string
}

/** Waits that were a part of the configuration, and are constants in the checkout. */
const constants = { heartbeatTimeoutMs: 2_000, deliveryInitialMs: 200, deliveryMaxMs: 2_000 }

const configOf = ({ modelUrl, webhookUrl, channelUrl }: Outside, takesConstants: boolean) => {
  const scripted = { provider: "scripted", script: "conversations.yaml" }
  return {
    models: {
      main: scripted,
      light: scripted,
      held: { provider: "openai-compatible", model: "held", baseUrl: `${modelUrl}/v1` },
    },
    agents: {
      reader: { delegation: "task" },
      coordinator: { delegation: "tasks" },
      program: { type: "binary", command: "./program.sh" },
      bridge: { type: "mcp-bridge", mcpTool: "mcp__everything__echo", mcpToolInput: '{"message": "{{task}}"}' },
    },
    // One slot: the sub-agent that has it keeps the others waiting.
    subagents: { maxConcurrent: 1 },
    tools: { policy: { Grep: "prompt", "mcp__*": "prompt" } },
    security: { allowBinaryAgents: true, sandbox: "off" },
    mcpServers: { everything: { command: process.execPath, args: [mcpProgram, "stdio"] } },
    webhooks: [{ url: webhookUrl, secretEnv: "HOOK_SECRET" }],
    channels: { team: { type: "webhook", outboundUrl: channelUrl, secretEnv: "HOOK_SECRET" } },
    timing: {
      ...(takesConstants ? constants : {}),
      shutdownGraceMs: 1_000,
      modelRetryInitialMs: 100,
      modelRetryMaxMs: 1_000,
      deliveryAttempts: 1_000,
      // Few enough that a session of twelve steps has continued as new.
      continueAsNewAfterEvents: 60,
    },
  }
}

/** Creates a project directory for both versions. */
export const createUpgradeProject = async (outside: Outside): Promise<UpgradeProject> => {
  const cwd = await realpath(await mkdtemp(path.join(tmpdir(), "adjutant-upgrade-")))
  const write = (file: string, content: string) => writeFile(path.join(cwd, file), content)
  await write("conversations.yaml", stringify(conversations))
  await write("program.sh", "#!/bin/sh\necho run >> program.count\necho counted\n")
  await chmod(path.join(cwd, "program.sh"), 0o700)
  return {
    cwd,
    env: { HOOK_SECRET: receiverSecret, ADJUTANT_TRUST: "1", ADJUTANT_TEST_TIMING: JSON.stringify(constants) },
    configure: (takesConstants) => write("adjutant.config.yaml", stringify(configOf(outside, takesConstants))),
    async count(name) {
      const text = await readFile(path.join(cwd, `${name}.count`), "utf8").catch(() => "")
      return text.split("\n").filter((line) => line !== "").length
    },
    remove: () => rm(cwd, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }),
  }
}
