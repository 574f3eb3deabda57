import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, it } from "vitest"
import { connect } from "../../../client/index.ts"
import { programEnv } from "../cli/program.ts"
import { signedBy } from "../../helpers/http/signed-webhooks.ts"
import { receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { checkWay, profileNames, type Way } from "./compare-ways.ts"
import { keys, openProfilesProject, type ProfilesProject } from "./profiles-project.ts"

let project: ProfilesProject
beforeAll(async () => {
  project = await openProfilesProject()
})
afterAll(() => project.close())

const ways: Readonly<Record<string, Way>> = {
  "over HTTP, in one request": {
    kind: "session",
    start: async ({ ask }, agent, message) => (await ask("/v1/runs", { agent, message })).session_id,
  },
  "over HTTP, by the first message of a session": {
    kind: "session",
    start: async ({ ask }, agent, message) => {
      const { id } = await ask("/v1/sessions", { agent })
      await ask(`/v1/sessions/${id}/messages`, { message })
      return id
    },
  },
  "by the client library": {
    kind: "session",
    start: async ({ project: { cwd } }, agent, prompt) => {
      const client = await connect({ cwd, env: { ...programEnv(), ...keys }, trust: true })
      try {
        return (await client.start({ agent, prompt, cwd })).sessionId
      } finally {
        await client.close()
      }
    },
  },
  "by a message in a thread of a channel": {
    kind: "session",
    start: async ({ ask }, agent, text) => {
      const message = { thread_key: text, text, message_id: text }
      const headers = signedBy(receiverSecret, JSON.stringify(message), { id: text })
      return (await ask(`/v1/channels/${agent}`, message, headers)).session_id
    },
  },
  "by sessions_spawn of an MCP client": {
    kind: "sub-agent",
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
    start: async ({ ask }, agent, task) => {
      const { session_id: parent } = await ask("/v1/runs", { message: `Delegate to ${agent}: ${task}` })
      await ask(`/v1/sessions/${parent}/outcome?wait_seconds=50`)
      return (await ask(`/v1/sessions?parent_session_id=${parent}`)).items[0].id
    },
  },
}

describe.each(Object.entries(ways))("a session that is started %s", (_, way) => {
  it.each(profileNames)("has the settings of its profile: %s", (profile) => checkWay(project, way, profile))
})
