import { chmod, writeFile } from "node:fs/promises"
import path from "node:path"
import { stringify } from "yaml"
import { openReceiver, receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"
import { createChatCalls, readWireMessages, startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import type { RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"
import { type RemoteProject, startServer } from "../cli/remote-project.ts"

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
export type ProfileName = keyof typeof agents

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
    general: { subagents: { runTimeoutSeconds: subagentSeconds, allowAgents: ["*"], maxChildrenPerAgent: 20 } },
    ...agents,
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

/** Delegates what it is told to, and answers everything else. */
const respond = (turn: number, request: RecordedRequest) => {
  const user = readWireMessages(request).find(({ role }) => role === "user")
  const [, agentId, task] = /Delegate to (\w+): (.+)/.exec(String(user?.content)) ?? []
  if (agentId === undefined) return createChatText("Done.")
  return turn === 1 ? createChatCalls(1, ["sessions_spawn", { agentId, task }]) : createChatText("Delegated.")
}

/** A running server with a profile for each kind of setting, and the requests that its models get. */
export interface ProfilesProject {
  readonly project: ProjectDirectory
  readonly remote: RemoteProject
  readonly token: string
  /** Returns the requests whose instruction is the task. */
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
  const { authorization } = await project.authorization()
  return {
    project,
    remote,
    token: authorization.replace("Bearer ", ""),
    requestsOf: (task) =>
      model.requests.filter((request) =>
        readWireMessages(request).some(({ role, content }) => role === "user" && content === task),
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
      await remote.close()
      await project.remove()
      await model.close()
      await receiver.close()
    },
  }
}
