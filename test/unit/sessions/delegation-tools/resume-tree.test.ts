import { describe, expect, it } from "vitest"
import { treeCheckpointOf } from "../../../../sessions/pauses/tree-pause.ts"
import type { SubAgents, TreeDecision } from "../../../../sessions/delegation-tools/sub-agents.ts"
import { toolHandlers } from "../../../../sessions/delegation-tools/tool-handlers.ts"

const checkpointId = treeCheckpointOf("root1", [{ checkpointId: "cp_a" }, { checkpointId: "cp_b" }])

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
    checkpoint_id: checkpointId,
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
        checkpointId,
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
