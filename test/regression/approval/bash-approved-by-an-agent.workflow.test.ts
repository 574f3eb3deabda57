import { afterEach, expect, it } from "vitest"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { readToolResults, createTreeModel } from "../../helpers/limits/tree-model.ts"

let harness: Harness

afterEach(() => harness.close())

it.each([
  ["in the foreground", { command: "touch unconfined" }],
  ["in the background", { command: "touch unconfined", run_in_background: true }],
])(
  "an agent cannot approve its child's Bash without a sandbox, even if policy says auto: %s",
  async (_place, input) => {
    harness = await openHarness({
      config: {
        agents: { general: { delegation: "tasks" } },
        tools: { policy: { Bash: "auto" } },
        security: { sandbox: "off" },
      },
      model: createTreeModel(
        (turn, request) => {
          const id = /Task ID: (\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? ""
          if (turn === 1)
            return {
              calls: [["dynamic_subagent_task", { description: "run", instructions: "child", tools: ["Bash"] }]],
            }
          if (turn === 2) return { calls: [["wait_for_tasks", { task_ids: id }]] }
          if (turn === 3) return { calls: [["resume_subagent_task", { task_id: id, approve_all: true }]] }
          return { text: "end" }
        },
        (_, turn) => (turn === 1 ? { calls: [["Bash", input]] } : { text: "done" }),
      ),
    })
    const { client, start } = harness
    const id = await start({ prompt: "PARENT", auto_approve: false })
    await client.wait(id)
    expect((await readToolResults(harness, id))[2]).toContain("only a person can approve")
    const { items } = await client.approvals()
    expect(items.map(({ pending }) => pending.map(({ name }) => name))).toEqual([["Bash"]])
    await client.cancel(id, { by: "test", via: "cli" })
  },
)
