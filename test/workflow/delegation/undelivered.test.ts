import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createTreeModel, readAnnouncements } from "../../helpers/limits/tree-model.ts"
import { type Receiver, receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"

let harness: Harness
let receiver: Receiver | undefined
const actor = { by: "test", via: "cli" }

const open = async (options: HarnessOptions): Promise<Harness> => {
  harness = await openHarness(options)
  return harness
}

afterEach(async () => {
  await harness.close()
})

const childOf = async (id: string) => (await harness.client.list({ parent: id })).items[0]
const followUp = (sessionId: string) =>
  harness.client.send({ sessionId, type: "message", text: "continue", limits: { max_steps: 20 }, actor })

describe("the result of a sub-agent whose parent's run ended first", () => {
  it("is the first thing that the next run reads, once", async () => {
    let isChildDone = false
    const { client, start } = await open({
      model: createTreeModel(
        async (turn, { messages }) => {
          if (turn === 1) return { calls: [["sessions_spawn", { task: "child" }]] }
          if (turn > 2)
            return { text: `read ${messages.filter((each) => JSON.stringify(each).includes("GOOD")).length}` }
          // The second and last step ends after the child.
          await eventually(async () => isChildDone)
          return { calls: [["LS", {}]] }
        },
        () => {
          isChildDone = true
          return { text: "GOOD" }
        },
      ),
    })
    const id = await start({ prompt: "PARENT", max_steps: 2 })
    expect(await client.wait(id)).toMatchObject({ outcome: "failed", stop_reason: "max_steps" })
    await eventually(async () => (await childOf(id))?.status === "completed")
    await followUp(id)
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "read 1" })
    await followUp(id)
    await client.wait(id)
    expect(await readAnnouncements(harness, id)).toEqual([expect.stringContaining("completed successfully")])
  })
})

describe("a sub-agent that a person cancels while its parent works", () => {
  it("is named by the parent's next wait, with who cancelled it", async () => {
    let isCancelled = false
    const { client, start } = await open({
      model: createTreeModel(
        async (turn) => {
          if (turn === 1) return { calls: [["sessions_spawn", { task: "child", label: "helper" }]] }
          if (turn > 2) return { text: "done" }
          await eventually(() => isCancelled)
          return { calls: [["sessions_yield", {}]] }
        },
        async (_task, _turn, { signal }) => {
          await new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("aborted")))
          })
          return { text: "never" }
        },
      ),
    })
    const id = await start({ prompt: "PARENT" })
    await eventually(async () => (await childOf(id))?.status === "running")
    const child = (await childOf(id))?.id ?? ""
    await client.cancel(child, { ...actor, by: "ada" })
    await eventually(async () => (await childOf(id))?.status === "cancelled")
    isCancelled = true
    await client.wait(id)
    const waited = (await client.messages(id)).flatMap(({ message }) =>
      message.role === "tool" && message.name === "sessions_yield" ? [message.content] : [],
    )
    expect(waited).toEqual([expect.stringMatching(new RegExp(`${child}.*helper`))])
    expect(waited[0]).toContain("the run was cancelled by ada (cli")
    expect(await readAnnouncements(harness, id)).toEqual([])
  })
})

describe("a session that someone created under another one", () => {
  const model = createTreeModel(
    (_, { messages }) => ({ text: `read ${messages.filter((each) => JSON.stringify(each).includes("GOOD")).length}` }),
    () => ({ text: "GOOD" }),
  )

  it("is announced to its parent's next run, once, and shows in the parent's events", async () => {
    const { client, start, cwd, store } = await open({ model })
    const id = await start({ prompt: "PARENT" })
    await client.wait(id)
    const child = await client.create({ parentId: id, cwd, agent: "general", label: "helper", actor })
    await client.send({ sessionId: child.id, type: "message", text: "work", actor })
    await client.wait(child.id)
    const about = async () => {
      const { events } = await store.events.read(id, { after: 0, limit: 200 })
      return events.flatMap((event) => (event["child_session_id"] === child.id ? [event.type] : []))
    }
    await eventually(async () => (await about()).length === 2)
    expect(await about()).toEqual(["child-started", "child-finished"])
    for (const expected of ["read 1", "read 1"]) {
      await followUp(id)
      expect(await client.wait(id)).toMatchObject({ final_message: expected })
    }
    expect(await readAnnouncements(harness, id)).toHaveLength(1)
  })

  it("is read by its parent's open run", async () => {
    let goesOn = false
    const { client, start, cwd } = await open({
      model: createTreeModel(
        async (turn) => {
          if (turn > 1) return { text: "done" }
          await eventually(async () => goesOn)
          return { calls: [["LS", {}]] }
        },
        () => ({ text: "GOOD" }),
      ),
    })
    const id = await start({ prompt: "PARENT" })
    await eventually(async () => (await client.info(id)).status === "running")
    const child = await client.create({ parentId: id, cwd, agent: "general", actor })
    await client.send({ sessionId: child.id, type: "message", text: "work", actor })
    await client.wait(child.id)
    goesOn = true
    await client.wait(id)
    expect(await readAnnouncements(harness, id)).toHaveLength(1)
    await followUp(id)
    await client.wait(id)
    expect(await readAnnouncements(harness, id)).toHaveLength(1)
  })

  it("is posted to the thread of its parent, once", async () => {
    receiver = await startReceiver()
    const channel = { type: "webhook", outboundUrl: receiver.url, secretEnv: "TEAM", commands: true } as const
    const { client } = await open({ env: { TEAM: receiverSecret }, model, config: { channels: { team: channel } } })
    const say = (text: string) => client.channels.receive("team", { thread_key: "t", text, message_id: text })
    await say("PARENT")
    const said = () => receiver?.effects.map(({ body }) => body.text) ?? []
    await eventually(async () => said().includes("read 0"))
    await say("/subagents spawn general work")
    await eventually(async () => said().some((text) => text.includes("GOOD")))
    await say("and?")
    await eventually(async () => said().includes("read 1"))
    expect(said().filter((text) => text.includes("GOOD"))).toHaveLength(1)
  })
})
