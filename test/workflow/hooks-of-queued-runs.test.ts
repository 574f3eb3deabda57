import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { laneWorkflowId } from "../../domain/engine/engine-names.ts"
import { treatAsSubAgents, createGates } from "../helpers/engine/lane-harness.ts"
import { eventually } from "../helpers/eventually.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

// A run that continued as new while it waited for a slot skipped its before hooks: a run that a hook rejects
// reached the model.

let harness: Harness

afterEach(async () => {
  await harness.temporal.workflow
    .getHandle(laneWorkflowId(harness.taskQueue))
    .terminate()
    .catch(() => undefined)
  await harness.close()
})

it("runs the before hooks of a run that continued as new while it was queued", async () => {
  const command = join(mkdtempSync(join(tmpdir(), "adjutant-hooks-")), "refuse.sh")
  writeFileSync(command, "#!/bin/bash\nif grep -q unwanted; then echo 'not wanted' >&2; exit 2; fi\n")
  chmodSync(command, 0o700)
  const gates = createGates()
  harness = await openHarness({
    model: gates.model,
    workerStore: treatAsSubAgents,
    config: {
      hooks: { "agent:llm-before-execute": [{ command }] },
      subagents: { maxConcurrent: 1 },
      timing: { laneCheckMs: 100, laneRetryMs: 100, continueAsNewAfterEvents: 30 },
    },
  })
  const { start, handle, client } = harness
  await start({ prompt: "first" })
  await gates.waitUntilStarted("first.1")
  const id = await start({ prompt: "unwanted" })
  const { runId } = await handle(id).describe()
  await eventually(async () => (await handle(id).describe()).runId !== runId)
  await gates.pass("first")
  expect(await client.wait(id)).toMatchObject({ outcome: "failed", error: { code: "hook_refused" } })
  expect(gates.started).toEqual(["first.1"])
})
