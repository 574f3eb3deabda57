import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect } from "vitest"
import type { WorkerPolicy } from "../../../domain/approval/worker-policy.ts"
import { detectSandbox } from "../../../tools/sandbox/detect-sandbox.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { readToolResults } from "../../helpers/limits/tree-model.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { testWith } from "../../helpers/needs.ts"

// A run that was started with a permissive configuration executed whatever it liked on a worker whose own configuration is strict.

const bubblewrap = { name: "bubblewrap", isAvailable: (await detectSandbox("auto")).confined }

let harness: Harness

afterEach(() => harness.close())

const open = async (workerPolicy: WorkerPolicy): Promise<void> => {
  harness = await openHarness({
    config: { tools: { policy: { "*": "auto" } }, security: { sandbox: "off" } },
    workerPolicy,
    model: createFakeModel((_, turn) =>
      turn === 1
        ? {
            calls: [
              ["Bash", { command: "grep ^NoNewPrivs /proc/self/status > status" }],
              ["Write", { file_path: "written", content: "x" }],
            ],
          }
        : { text: "done" },
    ),
  })
}

testWith([bubblewrap], "a worker that requires a sandbox confines the commands of every run", async () => {
  await open({ sandbox: "require", policy: {} })
  await harness.client.wait(await harness.start({ prompt: "go", auto_approve: true }))
  expect(readFileSync(join(harness.cwd, "status"), "utf8")).toMatch(/1$/m)
})

testWith([], "a worker executes no tool that its own policy never allows, whatever the run's policy says", async () => {
  await open({ sandbox: "off", policy: { Write: "never", "Ba*": "never" } })
  const id = await harness.start({ prompt: "go", auto_approve: true })
  await harness.client.wait(id)
  for (const result of await readToolResults(harness, id))
    expect(result).toMatch(/(Bash|Write) is refused: the configuration of the worker/)
  for (const name of ["status", "written"]) expect(existsSync(join(harness.cwd, name)), name).toBe(false)
})
