import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ModelProvider } from "../../../models/model-provider.ts"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" } as const
const write = (file_path: string) => ["Write", { file_path, content: "text" }] as const

/** Asks for input first, so that a grant can be given before the calls. */
const open = async (model: ModelProvider): Promise<{ readonly id: string }> => {
  harness = await openHarness({ model })
  await mkdir(join(harness.cwd, "docs"))
  const id = await harness.start({ auto_approve: false, pause_on_approval: true })
  await harness.client.wait(id)
  return { id }
}

const grantDocs = (sessionId: string) =>
  harness.client.grant({ sessionId, tool: "Write", patterns: { file_path: "docs/**" }, actor })

const continueWith = async (sessionId: string) => {
  await harness.client.send({ sessionId, text: "Continue.", type: "message", actor })
  return await harness.client.wait(sessionId)
}

const uses = async (sessionId: string) =>
  (await harness.store.audit.list({ sessionId })).filter(({ action }) => action === "grant-use")

describe("a grant", () => {
  it("lets matching calls run, names itself in the audit, and asks about all others", async () => {
    const { id } = await open(
      createFakeTurns(
        { text: "Ready." },
        { calls: [write("docs/a.md")] },
        { calls: [write("docs/../src.ts")] },
        { text: "Done." },
      ),
    )
    const grant = await grantDocs(id)
    expect(await continueWith(id)).toMatchObject({
      outcome: "paused",
      pause_reason: { pending_tool_calls: [{ name: "Write", arguments: { file_path: "docs/../src.ts" } }] },
    })
    expect(await readFile(join(harness.cwd, "docs/a.md"), "utf8")).toBe("text")
    expect(await uses(id)).toMatchObject([
      { by: "mia", via: "grant", detail: { grant_id: grant.id, call_id: "call_2_1", tool: "Write" } },
    ])
    await harness.client.cancel(id, actor)
  })

  it("does not cover a protected file or a path that a link leads elsewhere, and ends when it is revoked", async () => {
    const { id } = await open(
      createFakeTurns(
        { text: "Ready." },
        { calls: [write("docs/out/x.md"), write("docs/AGENTS.md")] },
        {
          calls: [write("docs/b.md")],
        },
      ),
    )
    await mkdir(join(harness.cwd, "src"))
    await symlink("../src", join(harness.cwd, "docs/out"))
    await mkdir(join(harness.cwd, ".git"))
    await writeFile(join(harness.cwd, ".git/config"), "")
    await symlink("../.git/config", join(harness.cwd, "docs/AGENTS.md"))
    const grant = await grantDocs(id)
    const paused = await continueWith(id)
    expect(paused).toMatchObject({
      pause_reason: { pending_tool_calls: [{ id: "call_2_1" }, { id: "call_2_2" }] },
    })
    await harness.client.revokeGrant(id, grant.id, actor)
    await harness.client.decide({
      sessionId: id,
      unlisted: "pending",
      decisions: { call_2_1: { action: "reject" }, call_2_2: { action: "reject" } },
      actor,
    })
    expect(await harness.client.wait(id)).toMatchObject({
      pause_reason: { pending_tool_calls: [{ name: "Write", arguments: { file_path: "docs/b.md" } }] },
    })
    expect(await uses(id)).toEqual([])
    await harness.client.cancel(id, actor)
  })

  it("that is revoked before its call starts makes the call wait, and a person's approval then counts", async () => {
    const { id } = await open(
      createFakeModel((_, turn) => {
        if (turn === 2) return { calls: [write("docs/a.md"), write("other.md")] }
        return { text: turn === 1 ? "Ready." : "Done." }
      }),
    )
    const grant = await grantDocs(id)
    expect(await continueWith(id)).toMatchObject({
      pause_reason: { pending_tool_calls: [{ id: "call_2_2" }] },
    })
    await harness.client.revokeGrant(id, grant.id, actor)
    const accept = (callId: string) =>
      harness.client.decide({
        sessionId: id,
        unlisted: "pending",
        decisions: { [callId]: { action: "accept" } },
        actor,
      })
    await accept("call_2_2")
    expect(await harness.client.wait(id)).toMatchObject({
      pause_reason: { pending_tool_calls: [{ id: "call_2_1" }] },
    })
    await accept("call_2_1")
    expect(await harness.client.wait(id)).toMatchObject({ agent_message: "Done." })
    expect(await readFile(join(harness.cwd, "docs/a.md"), "utf8")).toBe("text")
    await harness.client.cancel(id, actor)
  })
})
