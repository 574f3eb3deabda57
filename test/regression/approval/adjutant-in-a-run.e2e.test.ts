import { afterEach, expect, it } from "vitest"
import type { ProjectDirectory } from "../../e2e/cli/program.ts"
import { createMcpProject, mcpCommand } from "../../e2e/mcp/mcp-project.ts"
import { connectLineClient, type LineClient } from "../../helpers/mcp/line-client.ts"

// A run whose configuration names `adjutant mcp` as an MCP server approved its own sub-agents' calls there, by their
// checkpoint or with `--all-sessions`.

let project: ProjectDirectory | undefined
let client: LineClient | undefined

afterEach(async () => {
  await client?.disconnect()
  await project?.remove()
})

it("does not accept approvals from an agent that uses Adjutant as its MCP server", async () => {
  project = await createMcpProject()
  const { cwd, env } = mcpCommand(project)
  // As a worker starts the MCP servers of its runs.
  client = connectLineClient({ cwd, env: { ...env, ADJUTANT_IN_RUN: "1" }, flags: ["--all-sessions"] })
  const { request } = client
  const call = async (name: string, args: object) =>
    (await request("tools/call", { name, arguments: args }).answer).result
  await client.initialize()
  const started = await call("dynamic_subagent_task", { description: "d", instructions: "deploy", tools: ["Write"] })
  const task_id = String(started?.structuredContent?.["task_id"])
  const waited = await call("wait_for_tasks", { task_ids: task_id })
  expect(waited?.content?.[0]?.text).toContain("tc_write")
  for (const decision of [{ approve_all: true }, { approve: ["tc_write"] }]) {
    const answer = await call("resume_subagent_task", { task_id, ...decision })
    expect(answer?.content?.[0]?.text).toContain("does not accept approvals")
  }
  const resumed = await call("resume_task", {
    task_id,
    tool_decisions: [{ tool_call_id: "tc_write", approved: true }],
  })
  expect(resumed?.content?.[0]?.text).toContain("does not accept approvals")
  await call("cancel_task", { task_id })
})
