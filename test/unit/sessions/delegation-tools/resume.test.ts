import { describe, expect, it } from "vitest"
import type { SubAgents, TreeDecision } from "../../../../sessions/delegation-tools/sub-agents.ts"
import { toolHandlers } from "../../../../sessions/delegation-tools/tool-handlers.ts"
import { treeCheckpointOf } from "../../../../sessions/pauses/tree-pause.ts"
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

const treeCheckpoint = treeCheckpointOf("root1", [{ checkpointId: "cp_a" }, { checkpointId: "cp_b" }])

/** What a client from outside, or, without `decidesTrees`, an agent, has with a task `root1`. */
const portOf = (decided: TreeDecision[], decidesTrees = true): SubAgents<never> => {
  const port: Partial<SubAgents<never>> = {
    surface: { kind: "tool", tools: ["resume_subagent_task"], isTold: false, mayApprove: true },
    find: async (name) => name,
    ...(decidesTrees
      ? {
          decideTree: async (decision) => {
            decided.push(decision)
            return { runId: "run_1", protectedPending: [], undecided: ["child2/b"] }
          },
        }
      : {}),
  }
  return port as SubAgents<never>
}

const resume = async (port: SubAgents<never>, args: Readonly<Record<string, unknown>>) => {
  const reply = await toolHandlers["resume_subagent_task"]?.(port, {
    task_id: "root1",
    checkpoint_id: treeCheckpoint,
    ...args,
  })
  if (reply?.kind !== "now") throw new Error("no answer")
  return reply.value
}

describe("resume_subagent_task with the checkpoint of a tree", () => {
  it("decides all that it showed, but the calls that are rejected by name, and names what stays pending", async () => {
    const decided: TreeDecision[] = []
    const answer = await resume(portOf(decided), { approve_all: true, reject: ["child1/a"] })
    expect(decided).toEqual([
      {
        id: "root1",
        checkpointId: treeCheckpoint,
        all: { action: "accept" },
        decisions: { "child1/a": { action: "reject" } },
      },
    ])
    expect(answer.isError).toBe(false)
    expect(answer.text).toContain(
      "Not decided, because their tasks have moved on since the checkpoint was shown: child2/b",
    )
    expect(answer.structured).toMatchObject({ undecided: ["child2/b"] })
  })

  it("is refused without a decision, and for an agent, which decides for its own sub-agents only", async () => {
    const decided: TreeDecision[] = []
    expect(await resume(portOf(decided), {})).toMatchObject({ isError: true })
    expect(await resume(portOf(decided, false), { approve_all: true })).toMatchObject({
      isError: true,
      text: expect.stringContaining("RESUME_TASK_ERROR"),
    })
    expect(decided).toEqual([])
  })
})
