import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { ModelProvider } from "../../../models/model-provider.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { readToolResults } from "../../helpers/limits/tree-model.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"

let harness: Harness
/** A directory that no sandbox shows. */
let outside: string
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "adjutant-outside-"))
})
afterEach(async () => {
  await harness.close()
  await rm(outside, { recursive: true, force: true })
})

const actor = { by: "mia", via: "cli" } as const
const leaving = (command = `touch ${join(outside, "ran")}`) =>
  ["Bash", { command, unconfined: true, reason: "it has to be outside" }] as const
const auto = { tools: { policy: { Bash: "auto" as const, Write: "prompt" as const } } }

const open = async (model: ModelProvider): Promise<void> => {
  harness = await openHarness({ config: auto, model })
}
const pendingOf = async (id: string) => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${JSON.stringify(document)}`)
  return document.pause_reason
}

describe("a command that asks to run outside the sandbox", () => {
  it("waits for a person although policy says auto, is part of no approval of all calls, and runs outside", async () => {
    await open(
      createFakeTurns(
        { calls: [leaving(), ["Write", { file_path: "a.txt", content: "a" }]] },
        { calls: [leaving(`touch ${join(outside, "again")}`)] },
        { text: "end" },
      ),
    )
    const id = await harness.start({ auto_approve: false })
    const { pending_tool_calls: pending } = await pendingOf(id)
    expect(pending).toMatchObject([
      {
        name: "Bash",
        protected: true,
        preview: {
          confined: false,
          opens: "sandbox",
          flags: expect.arrayContaining([
            "leaves the sandbox: it runs with all rights of the worker's user",
            'reason: "it has to be outside"',
          ]),
        },
      },
      { name: "Write" },
    ])
    const all = await harness.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    expect(all).toMatchObject({ protectedPending: ["call_1_1"] })
    expect((await pendingOf(id)).pending_tool_calls?.map((call) => call.id)).toEqual(["call_1_1"])
    expect(await readdir(outside)).toEqual([])
    await harness.client.decide({
      ...{ sessionId: id, unlisted: "pending", actor },
      decisions: { call_1_1: { action: "accept" } },
    })
    expect((await pendingOf(id)).pending_tool_calls?.map((call) => call.id)).toEqual(["call_2_1"])
    expect(await readdir(outside)).toEqual(["ran"])
    await harness.client.cancel(id, actor)
  })

  it.each([
    ["all calls are", true],
    ["Bash is", ["Bash"]],
  ])("is refused in a run for which %s approved beforehand", async (_, auto_approve) => {
    await open(createFakeTurns({ calls: [leaving()] }, { text: "end" }))
    const id = await harness.start({ auto_approve })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect((await readToolResults(harness, id))[0]).toMatch(/^needs_approval: .*only a person can approve/)
    const { items } = await harness.client.audit({ sessionId: id })
    expect(items.find(({ action }) => action === "refuse")).toMatchObject({
      ...{ via: "policy", detail: { tool: "Bash", code: "needs_approval" } },
    })
    expect(await readdir(outside)).toEqual([])
  })

  it("runs unasked in a run that was started with --unconfined", async () => {
    await open(createFakeTurns({ calls: [leaving()] }, { text: "end" }))
    const id = await harness.start({ auto_approve: true, sandbox: "off" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await readdir(outside)).toEqual(["ran"])
  })

  it("is refused in a run that must be confined, and where policy never allows Bash", async () => {
    await open(createFakeTurns({ calls: [leaving()] }, { text: "end" }))
    const confined = await harness.start({ auto_approve: false, sandbox: true })
    await harness.client.wait(confined)
    expect((await readToolResults(harness, confined))[0]).toMatch(/may only run in a sandbox|sandbox is required/)
    await harness.close()
    harness = await openHarness({
      config: { tools: { policy: { Bash: "never" } } },
      model: createFakeTurns({ calls: [leaving()] }, { text: "end" }),
    })
    const never = await harness.start({ auto_approve: true, sandbox: "off" })
    await harness.client.wait(never)
    expect(await readdir(outside)).toEqual([])
  })

  it("runs again unasked only by a grant for its very command", async () => {
    await open(
      createFakeTurns(
        { text: "Ready." },
        { calls: [leaving()] },
        { calls: [leaving(`touch ${join(outside, "other")}`)] },
        { text: "end" },
      ),
    )
    const id = await harness.start({ auto_approve: false, pause_on_approval: true })
    await harness.client.wait(id)
    const patterns = { command: `touch ${join(outside, "ran")}`, unconfined: "true" }
    await expect(
      harness.client.grant({ sessionId: id, tool: "Bash", patterns: { ...patterns, command: "touch *" }, actor }),
    ).rejects.toThrow("exact text")
    await harness.client.grant({ sessionId: id, tool: "Bash", patterns, actor })
    await harness.client.grant({ sessionId: id, tool: "Bash", patterns: { command: "touch *" }, actor })
    await harness.client.send({ sessionId: id, text: "Continue.", type: "message", actor })
    expect((await pendingOf(id)).pending_tool_calls?.map((call) => call.id)).toEqual(["call_3_1"])
    expect(await readdir(outside)).toEqual(["ran"])
    await harness.client.cancel(id, actor)
  })
})
