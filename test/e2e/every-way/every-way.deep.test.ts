import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, it } from "vitest"
import { connect } from "../../../client/index.ts"
import { readingToolNames } from "../../../domain/tools/tool-names.ts"
import type { Ended } from "../cli/program.ts"
import { signedBy } from "../../helpers/http/signed-webhooks.ts"
import { receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { checkWay, type Way } from "./compare-ways.ts"
import { askForCall, keys, openProfilesProject, type ProfileName, type ProfilesProject } from "./profiles-project.ts"

let project: ProfilesProject
beforeAll(async () => {
  project = await openProfilesProject()
})
afterAll(() => project.close())

/** Each kind of setting. */
const all = ["isolated", "fallback", "limited", "thinker", "program", "bridge"] as const
/** The profiles that `Task` can start, apart from `general`: each has settings of its own. */
const roles = ["explore", "plan", "summary"] as const

const taskOf = ({ code, stdout, stderr }: Ended): string => {
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout).task_id
}

/** Starts a run whose agent makes the call, and returns the sub-agent that the call started. */
const startInRun = async ({ ask }: ProfilesProject, tool: string, input: object, tools?: readonly string[]) => {
  const allowed = tools === undefined ? {} : { allowed_tools: [tool, ...tools] }
  const { session_id: parent } = await ask("/v1/runs", { message: askForCall(tool, input), ...allowed })
  await ask(`/v1/sessions/${parent}/outcome?wait_seconds=50`)
  return (await ask(`/v1/sessions?parent_session_id=${parent}`)).items[0].id
}

const taskInput = (subagent_type: ProfileName, prompt: string) => ({ description: "Look", prompt, subagent_type })
const dynamicInput = (instructions: string) => ({ description: "Look", instructions, tools: ["Read"] })

const ways: Readonly<Record<string, Way>> = {
  "over HTTP, in one request": {
    kind: "session",
    profiles: all,
    start: async ({ ask }, agent, message) => (await ask("/v1/runs", { agent, message })).session_id,
  },
  "over HTTP, by the first message of a session": {
    kind: "session",
    profiles: all,
    start: async ({ ask }, agent, message) => {
      const { id } = await ask("/v1/sessions", { agent })
      await ask(`/v1/sessions/${id}/messages`, { message })
      return id
    },
  },
  "by the client library": {
    kind: "session",
    profiles: all,
    start: async ({ project: { cwd, env } }, agent, prompt) => {
      const client = await connect({ cwd, env: { ...env, ...keys }, trust: true })
      try {
        return (await client.start({ agent, prompt, cwd })).sessionId
      } finally {
        await client.close()
      }
    },
  },
  "by a message in a thread of a channel": {
    kind: "session",
    profiles: all,
    start: async ({ ask }, agent, text) => {
      const message = { thread_key: text, text, message_id: text }
      const headers = signedBy(receiverSecret, JSON.stringify(message), { id: text })
      return (await ask(`/v1/channels/${agent}`, message, headers)).session_id
    },
  },
  "by sessions_spawn of an MCP client": {
    kind: "sub-agent",
    profiles: all,
    start: async ({ remote, token }, agentId, task) => {
      const client = new Client({ name: "test", version: "1.0.0" })
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", remote.url), { requestInit }))
      const { structuredContent } = await client.callTool({ name: "sessions_spawn", arguments: { agentId, task } })
      await client.close()
      return (structuredContent as { readonly sessionId: string }).sessionId
    },
  },
  "by sessions_spawn inside a run": {
    kind: "sub-agent",
    profiles: all,
    start: (opened, agentId, task) => startInRun(opened, "sessions_spawn", { agentId, task }),
  },
  "by sessions_spawn of an MCP client over stdio": {
    kind: "sub-agent",
    profiles: all,
    start: async ({ mcp }, agentId, task) => (await mcp.call("sessions_spawn", { agentId, task })).sessionId,
  },
  // Each command is a process of its own, so these ways start what they can get wrong: `run` executes the run itself, with its own keys and programs.
  "by adjutant run": {
    kind: "session",
    asksNobody: true,
    profiles: ["isolated", "limited", "program"],
    start: async ({ project: { run } }, agent, task) =>
      taskOf(await run("run", "--agent", agent, task, "--output", "json")),
  },
  // A thin client sends requests like those over HTTP.
  "by adjutant run --server": {
    kind: "session",
    asksNobody: true,
    profiles: ["thinker", "bridge"],
    start: async ({ remote }, agent, task) =>
      taskOf(await remote.run("run", "--agent", agent, task, "--output", "json")),
  },
  // The timeout of sub-agents takes precedence over that of the profile.
  "by adjutant spawn": {
    kind: "sub-agent",
    profiles: ["fallback", "limited"],
    start: async ({ project: { run } }, agent, task) => taskOf(await run("spawn", agent, task, "--output", "json")),
  },
  "by Task of an MCP client over stdio": {
    kind: "sub-agent",
    profiles: roles,
    start: async ({ mcp }, role, task) => (await mcp.call("Task", taskInput(role, task))).data.session_id,
  },
  "by Task inside a run": {
    kind: "sub-agent",
    profiles: roles,
    start: (opened, role, task) => startInRun(opened, "Task", taskInput(role, task), readingToolNames),
  },
  "by dynamic_subagent_task of an MCP client over stdio": {
    kind: "sub-agent",
    maxSteps: 30,
    profiles: ["general"],
    start: async ({ mcp }, _, task) => (await mcp.call("dynamic_subagent_task", dynamicInput(task))).task_id,
  },
  "by dynamic_subagent_task inside a run": {
    kind: "sub-agent",
    maxSteps: 30,
    profiles: ["general"],
    start: (opened, _, task) => startInRun(opened, "dynamic_subagent_task", dynamicInput(task), ["Read"]),
  },
}

describe.each(Object.entries(ways))("a session that is started %s", (_, way) => {
  it.each(way.profiles)("has the settings of its profile: %s", (profile) => checkWay(project, way, profile))
})
