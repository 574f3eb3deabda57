import { chmod, writeFile } from "node:fs/promises"
import path from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { stringify } from "yaml"
import { openReceiver, receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"
import { createChatCalls, readWireMessages, startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import type { RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"
import { type RemoteProject, startServer } from "../cli/remote-project.ts"
import { mcpCommand } from "../mcp/mcp-project.ts"

const provider = "openai-compatible"
const keyOf = (apiKeyEnv: string) => ({ credentials: { [provider]: { apiKeyEnv } } })

/** Keys of the machine. `UNSET_KEY` is not among them. */
export const keys = { MAIN_KEY: "key-of-main", OWN_KEY: "key-of-the-profile", CHANNEL_SECRET: receiverSecret }

/** Profiles, each with other settings. */
const agents = {
  isolated: { isolated: true, ...keyOf("OWN_KEY"), prompt: "You are on your own." },
  fallback: keyOf("UNSET_KEY"),
  limited: { maxSteps: 7, timeoutSeconds: 60, budgetUsd: 0.5, budgetTokens: 90_000, tools: ["Read"] },
  thinker: { thinking: "high", model: "light" },
  program: { type: "binary", command: "./answer.sh" },
  bridge: { type: "mcp-bridge", mcpTool: "mcp__docs__echo", mcpToolInput: '{"text": "{{task}}"}' },
} as const

/** The profiles that `Task` and `dynamic_subagent_task` start; `general` also starts all other sub-agents. */
const roles = {
  explore: { ...agents.isolated, prompt: "You explore." },
  plan: agents.limited,
  summary: { thinking: "high" },
  general: { ...agents.fallback, prompt: "You do it." },
} as const
export type ProfileName = keyof typeof agents | keyof typeof roles

/** The time limit of every sub-agent of `general`, and of callers from outside any run. */
export const subagentSeconds = 90

/** Answers with its standard input. */
const program = `#!/bin/sh
cat
`

const configOf = (modelUrl: string, channelUrl: string) => ({
  models: {
    main: { provider, model: "big", baseUrl: `${modelUrl}/v1`, apiKeyEnv: "MAIN_KEY" },
    light: { provider, model: "small", baseUrl: `${modelUrl}/v1`, apiKeyEnv: "MAIN_KEY" },
  },
  prices: { big: { inputPerMTok: 1, outputPerMTok: 1 }, small: { inputPerMTok: 1, outputPerMTok: 1 } },
  agents: {
    ...agents,
    ...roles,
    general: {
      ...roles.general,
      subagents: { runTimeoutSeconds: subagentSeconds, allowAgents: ["*"], maxChildrenPerAgent: 20 },
    },
  },
  mcpServers: { docs: createTestServerConfig() },
  tools: { policy: { "binary:program": "auto", mcp__docs__echo: "auto" } },
  security: { allowBinaryAgents: true },
  // A thread starts sessions of one profile.
  channels: Object.fromEntries(
    Object.keys(agents).map((agent) => [
      agent,
      { type: "webhook", outboundUrl: channelUrl, secretEnv: "CHANNEL_SECRET", agent },
    ]),
  ),
})

/** Returns an instruction to which the model replies with one call. */
export const askForCall = (tool: string, input: object): string => `Call ${tool} with ${JSON.stringify(input)}`

/** Makes the call that it is asked for, and answers everything else. */
const respond = (turn: number, request: RecordedRequest) => {
  const user = readWireMessages(request).find(({ role }) => role === "user")
  const [, tool, input] = /^Call (\w+) with (.+)$/.exec(String(user?.content)) ?? []
  if (tool === undefined || input === undefined) return createChatText("Done.")
  return turn === 1 ? createChatCalls(1, [tool, JSON.parse(input)]) : createChatText("Called.")
}

/** Starts `adjutant mcp` in the project, with a client that waits as long as a tool takes. */
const startMcp = async (project: ProjectDirectory): Promise<McpClient> => {
  const client = new Client({ name: "test", version: "1.0.0" })
  const command = mcpCommand(project)
  const env = { ...command.env, ...keys, ADJUTANT_TRUST: "1" }
  const timeout = 120_000
  await client.connect(new StdioClientTransport({ ...command, env }), { timeout })
  return {
    call: async (name, input) => {
      const { structuredContent, content } = await client.callTool({ name, arguments: { ...input } }, { timeout })
      if (structuredContent === undefined) throw new Error(`${name}: ${JSON.stringify(content)}`)
      return structuredContent
    },
    close: () => client.close(),
  }
}

interface McpClient {
  /** Calls a tool, and returns its structured result. */
  call(name: string, input: object): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- tests look at results of any shape
  close(): Promise<void>
}

/** A running server with a profile for each kind of setting, and the requests that its models get. */
export interface ProfilesProject {
  readonly project: ProjectDirectory
  readonly remote: RemoteProject
  readonly token: string
  /** The one `adjutant mcp` of the project. */
  readonly mcp: McpClient
  /** Returns the requests whose instruction is the task, with or without a heading. */
  requestsOf(task: string): readonly RecordedRequest[]
  /** Sends a request to the HTTP API; throws if it is refused. */
  ask(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- tests look at answers of any shape
  close(): Promise<void>
}

export const openProfilesProject = async (): Promise<ProfilesProject> => {
  const receiver = await openReceiver()
  const model = await startChatModel(respond)
  const project = await createProject({}, { ...keys, ADJUTANT_TRUST: "1" })
  await writeFile(path.join(project.cwd, "answer.sh"), program)
  await chmod(path.join(project.cwd, "answer.sh"), 0o700)
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify(configOf(model.url, receiver.url)))
  const remote = await startServer(project)
  const mcp = await startMcp(project)
  const { authorization } = await project.authorization()
  return {
    project,
    remote,
    mcp,
    token: authorization.replace("Bearer ", ""),
    requestsOf: (task) =>
      model.requests.filter((request) =>
        readWireMessages(request).some(({ role, content }) => role === "user" && String(content).endsWith(task)),
      ),
    ask: async (route, body, headers = {}) => {
      const response = await fetch(`${remote.url}${route}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`)
      return text === "" ? null : JSON.parse(text)
    },
    close: async () => {
      await mcp.close()
      await remote.close()
      await project.remove()
      await model.close()
      await receiver.close()
    },
  }
}
