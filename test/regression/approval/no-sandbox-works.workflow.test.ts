import { readdir } from "node:fs/promises"
import { afterEach, expect, it } from "vitest"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { readToolResults } from "../../helpers/limits/tree-model.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"

// Where no sandbox works, a run that asks nobody executed Bash with all rights of the worker.

let harness: Harness
afterEach(() => harness.close())

/** An image that is on no machine: the backend works nowhere. */
const broken = { security: { sandboxBackends: ["docker" as const], dockerImage: "adjutant-missing:1" } }

const play = async (options: Record<string, unknown>, config: object = broken) => {
  const offered: boolean[] = []
  harness = await openHarness({
    config,
    model: createFakeModel((request, turn) => {
      offered.push(request.tools.some(({ name }) => name === "Bash"))
      return turn === 1 ? { calls: [["Bash", { command: "touch ran" }]] } : { text: "end" }
    }),
  })
  const id = await harness.start({ auto_approve: true, ...options })
  const document = await harness.client.wait(id)
  return { offered, document, results: await readToolResults(harness, id), files: await readdir(harness.cwd) }
}

it("does not offer Bash to a run that asks nobody, and refuses its calls", async () => {
  const { offered, results, files, document } = await play({})
  expect(document).toMatchObject({ outcome: "completed" })
  expect(offered).toEqual([false, false])
  expect(results[0]).toContain("may only run in a sandbox")
  expect(files).toEqual([])
})

it("runs Bash in such a run that was started with --unconfined", async () => {
  const { offered, files } = await play({ sandbox: "off" })
  expect(offered).toEqual([true, true])
  expect(files).toEqual(["ran"])
})

it("runs Bash in such a run where the configuration switches sandboxes off", async () => {
  expect((await play({}, { security: { sandbox: "off" } })).files).toEqual(["ran"])
})

it("asks about Bash where policy applies", async () => {
  const { document, files } = await play({ auto_approve: false }, { ...broken, tools: { policy: { Bash: "auto" } } })
  expect(document).toMatchObject({ outcome: "paused" })
  expect(files).toEqual([])
})

it("refuses a program that must be confined when it is proposed, and asks nobody about it", async () => {
  harness = await openHarness({
    config: {
      security: { ...broken.security, allowBinaryAgents: true },
      agents: { tool: { type: "binary", command: "touch", args: ["ran"] } },
    },
    model: createFakeModel(() => ({ text: "end" })),
  })
  const id = await harness.start({ agent: "tool", auto_approve: false, sandbox: true })
  const error = {
    code: "sandbox_unavailable",
    message: expect.stringContaining("binary:tool may only run in a sandbox"),
  }
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "failed", error })
  expect(await readdir(harness.cwd)).toEqual([])
})

it("does not let a caller who may not approve start a run without a sandbox", async () => {
  harness = await openHarness({ config: broken, model: createFakeModel(() => ({ text: "end" })) })
  const authority = { approval: "policy" as const, directories: "any" as const }
  const started = harness.start({ sandbox: "off", actor: { by: "ci", via: "http", authority } })
  await expect(started).rejects.toMatchObject({ code: "forbidden" })
})
