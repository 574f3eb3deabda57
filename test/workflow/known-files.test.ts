import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { createFakeModel, createFakeTurns, type FakeReply } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }
const careful = { auto_approve: false, pause_on_approval: true } as const

afterEach(() => harness.close())

const put = (text: string) => writeFile(join(harness.cwd, "f.txt"), text)
const text = () => readFile(join(harness.cwd, "f.txt"), "utf8")
const read = { calls: [["Read", { file_path: "f.txt" }]] } as const
const write = (content: string) => ({ calls: [["Write", { file_path: "f.txt", content }]] }) as const

const writeResults = async (id: string) => {
  const rows = await harness.store.messages.read(id, { headSeq: 1_000 })
  return rows.flatMap(({ message }) =>
    message.role === "tool" && message.name === "Write" ? [`${message.outcome}: ${message.content}`] : [],
  )
}

it("refuses an unattended Write over what something else wrote after the agent's Read, in every run of its session", async () => {
  const replies: readonly (FakeReply & { readonly before?: () => Promise<void> })[] = [
    read,
    // A person's change, between the agent's Read and its Write.
    { ...write("agent\n"), before: () => put("base\nmine\n") },
    read,
    write("agent, base and mine\n"),
    { text: "Done." },
    { ...write("again\n"), before: () => put("from elsewhere\n") },
    { text: "Done." },
  ]
  const model = createFakeModel(async (_, turn) => {
    const reply = replies[turn - 1]
    await reply?.before?.()
    return reply ?? { text: "Done." }
  })
  harness = await openHarness({ model })
  await put("base\n")
  const id = await harness.start({ auto_approve: true })
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  expect(await text()).toBe("agent, base and mine\n")
  const [refused, replaced] = await writeResults(id)
  expect(refused).toBe("error: f.txt has changed since it was read: read it again")
  expect(replaced).toContain("ok: Replaced f.txt")
  await harness.client.send({ sessionId: id, type: "message", text: "continue", actor })
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  expect(await text()).toBe("from elsewhere\n")
})

it("shows an approver that the agent has not read the file, and writes what the approver decided on", async () => {
  harness = await openHarness({ model: createFakeTurns(write("new\n"), { calls: [["finish", { result: "done" }]] }) })
  await put("unread\n")
  const id = await harness.start(careful)
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
  const [call] = document.pause_reason.pending_tool_calls ?? []
  expect(call?.preview.flags).toContain("the agent has not read this file")
  const all = { action: "accept" } as const
  const decision = { sessionId: id, checkpointId: document.checkpoint_id, all, unlisted: "pending", actor } as const
  await harness.client.decide(decision)
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  expect(await text()).toBe("new\n")
})
