import { expect, it } from "vitest"
import { clientFixture } from "../../client/client-fixture.ts"
import { connectAs, spawnAs } from "../../mcp/connect-as.ts"

// The model of an MCP client that may approve calls approved a change of the configuration, and a command without a sandbox.

const caller = "stdio:default:/srv/project"
const preview = { summary: "", flags: [] }

const open = async () => {
  const fixture = await clientFixture()
  const id = await spawnAs(fixture, caller, "helper")
  await fixture.pause(id, {
    calls: [
      { id: "plain", name: "Write", arguments: { file_path: "a" } },
      { id: "protected", name: "Write", arguments: { file_path: ".envrc" }, isProtected: true },
      { id: "outside", name: "Bash", arguments: { command: "ls" }, preview: { ...preview, confined: false } },
      { id: "unknown", name: "Bash", arguments: { command: "ls" } },
      { id: "inside", name: "Bash", arguments: { command: "ls" }, preview: { ...preview, confined: true } },
    ],
  })
  const client = await connectAs(fixture, caller)
  const sent = () => fixture.temporal.execution(id).updates.map(({ payload }) => payload)
  return { ...fixture, id, mcp: client, sent }
}

const accept = { action: "accept" }

it.each([
  ["resume_subagent_task", { approve_all: true }],
  ["resume_subagent_task", { approve: ["plain", "protected", "outside", "unknown", "inside"] }],
  [
    "resume_task",
    {
      tool_decisions: ["plain", "protected", "outside", "unknown", "inside"].map((tool_call_id) => ({
        tool_call_id,
        approved: true,
      })),
    },
  ],
])("leaves what only a person can approve pending, and names it: %s %j", async (tool, args) => {
  const { id, mcp, sent } = await open()
  const { text, data } = await mcp.call(tool, { task_id: id, ...args })
  expect(data).toMatchObject({ status: "paused", protected_pending: ["protected", "outside", "unknown"] })
  expect(text).toContain("Only a person can approve protected, outside, unknown")
  expect(sent()).toMatchObject([{ decisions: { plain: accept, inside: accept }, unlisted: "pending" }])
  expect(sent()[0]).not.toHaveProperty("decisions.protected")
})

it("approves nothing where only such calls are named, and lets them be rejected", async () => {
  const { id, mcp, sent } = await open()
  const named = await mcp.call("resume_subagent_task", { task_id: id, approve: ["outside"], reject: ["plain"] })
  expect(named.data).toMatchObject({ protected_pending: ["outside"] })
  const reject = { action: "reject" }
  expect(sent()).toMatchObject([{ decisions: { plain: reject, protected: reject, unknown: reject, inside: reject } }])
})

it.each(["protected", "outside", "unknown"])(
  "a decision of a model on the call %s is refused and audited",
  async (call) => {
    const { id, client, sent, store } = await open()
    const actor = { by: "coder", via: "mcp", kind: "model" } as const
    const decided = client.decide({
      ...{ sessionId: id, decisions: { [call]: { action: "custom_result", content: "done" } }, unlisted: "pending" },
      actor,
    })
    await expect(decided).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining(call) })
    expect(sent()).toEqual([])
    expect(await store.audit.list({ sessionId: id })).toContainEqual(
      expect.objectContaining({ action: "decide-refused", kind: "model" }),
    )
  },
)
