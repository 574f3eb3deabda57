import { expect, it } from "vitest"
import { createStartOpenSession } from "../../../../activities/channels/start-open-session.ts"
import type { StartOpenSessionInput } from "../../../../activities/contract/binding-activities.ts"
import { clientFixture } from "../../client/client-fixture.ts"
import { anyEngine } from "../../client/fake-temporal.ts"

const inputOf = (title: string): StartOpenSessionInput => ({
  child: {
    id: "child1",
    workflowType: "llmAgent",
    run: { run_id: "run_1", snapshot_hash: "h" },
    message: { id: "m1", type: "message", source: "instruction" },
    label: null,
    agent: "general",
    model: "main",
    title,
    number: 1,
    rootId: "root1",
    depth: 1,
    reserved: { microUsd: 0, tokens: 0 },
  },
  taskQueue: "queue",
  parentSessionId: "parent1",
  hasSearchAttributes: true,
})

it("shows a long-lived open session in the engine like any other: one line, and a memo of bounded size", async () => {
  const { store, temporal } = await clientFixture()
  const deps = { store, temporal, engine: anyEngine } as unknown as Parameters<typeof createStartOpenSession>[0]
  await createStartOpenSession(deps)(inputOf(`# Paint\n\n  it  ${"blue ".repeat(100)}`))
  const { options } = temporal.execution("child1")
  const { staticSummary, memo, typedSearchAttributes } = options
  expect(staticSummary).toMatch(/^general child1: `# Paint it blue blue/)
  expect(staticSummary).toHaveLength(182)
  expect(memo).toMatchObject({ profile: "general", model: "main", depth: 1 })
  expect(memo?.["title"]).toHaveLength(200)
  expect(JSON.stringify(typedSearchAttributes)).toContain("parent1")
})
