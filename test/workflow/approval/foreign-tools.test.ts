import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "test", via: "cli" }

const paused = async (id: string) => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
  const [call] = document.pause_reason.pending_tool_calls ?? []
  return { checkpointId: document.checkpoint_id, preview: call?.preview }
}

const approve = (sessionId: string, checkpointId: string) =>
  harness.client.decide({
    sessionId,
    checkpointId,
    decisions: { call_1_1: { action: "accept" } },
    unlisted: "pending",
    actor,
  })

it.each([
  ["and announces it", {}],
  ["without a word", { TEST_SILENT: "true" }],
])("asks again about a tool that its MCP server describes otherwise after the approval, %s", async (_, silence) => {
  const log = join(mkdtempSync(join(tmpdir(), "adjutant-foreign-")), "log")
  harness = await openHarness({
    config: {
      mcpServers: { docs: createTestServerConfig({ TEST_LOG: log, ...silence }) },
      tools: { policy: { mcp__docs__reword: "auto", mcp__docs__echo: "auto" } },
    },
    model: createFakeModel(({ messages }, turn) => {
      const isOther = JSON.stringify(messages).includes("Reword.")
      // The server announces the change after the answer to the call that makes it, and before that to the next one.
      if (isOther && turn <= 2)
        return { calls: [turn === 1 ? ["mcp__docs__reword", {}] : ["mcp__docs__echo", { text: "a" }]] }
      return turn === 1 && !isOther ? { calls: [["mcp__docs__note", { line: "written" }]] } : { text: "done" }
    }),
  })
  const { client, start } = harness
  const lines = () => readFileSync(log, "utf8").trim().split("\n")
  const id = await start({ auto_approve: false })
  const first = await paused(id)
  expect(first.preview?.tool_sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(await client.wait(await start({ prompt: "Reword.", auto_approve: false }))).toMatchObject({
    outcome: "completed",
  })
  await approve(id, first.checkpointId)
  await eventually(async () => (await client.info(id)).checkpoint_id !== first.checkpointId)
  const second = await paused(id)
  expect(lines()).not.toContain("note written")
  expect(second.preview).toMatchObject({
    asked_again: "its MCP server describes the tool otherwise than when you were asked: its description changed",
    text: expect.stringMatching(/-.*"Writes a line".*\n\+.*"Sends a line to everybody"[^]*line: written/),
  })
  expect(second.preview?.tool_sha256).not.toBe(first.preview?.tool_sha256)
  await approve(id, second.checkpointId)
  expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
  expect(lines()).toContain("note written")
  const hashes = (await client.audit({ sessionId: id })).items.flatMap(({ action, hash }) =>
    action === "decide" ? [hash] : [],
  )
  expect(new Set(hashes).size).toBe(2)
})
