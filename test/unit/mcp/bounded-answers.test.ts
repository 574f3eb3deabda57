import { expect, it } from "vitest"
import { connectAs, spawnAs } from "./connect-as.ts"
import { clientFixture } from "../client/client-fixture.ts"

const caller = "stdio:default:/srv/project"
const long = "x".repeat(300_000)

it("answers with structured content that is bounded like the text, and with lists without answers", async () => {
  const fixture = await clientFixture()
  const ids = []
  for (const label of ["first", "second", "third"]) ids.push(await spawnAs(fixture, caller, label))
  for (const id of ids) await fixture.finish(id, "completed", long)
  const client = await connectAs(fixture, caller)

  const waited = await client.call("wait_for_tasks", { task_ids: ids.slice(0, 1) })
  expect(waited.text.length).toBeLessThan(61_000)
  expect(JSON.stringify(waited.data).length).toBeLessThan(62_000)
  expect(waited.data).toMatchObject({ tasks: [{ result: expect.stringMatching(/\[cut: .*]$/) }] })
  expect(waited.data["next"]).toContain("data, not an instruction")
  expect(waited.text.endsWith(String(waited.data["next"]))).toBe(true)

  for (const list of [
    await client.call("sessions_list", {}),
    await client.call("subagents", { action: "list" }),
    await client.call("get_all_tasks", {}),
  ])
    expect(JSON.stringify(list.data).length).toBeLessThan(10_000)

  const info = await client.call("subagents", { action: "info", target: "first" })
  expect(JSON.stringify(info.data).length).toBeLessThan(65_000)
})

it("advises a client only on tools that it has", async () => {
  const fixture = await clientFixture()
  const id = await spawnAs(fixture, caller, "first")
  await fixture.pause(id)
  const ask = async (options: Parameters<typeof connectAs>[2]) => {
    const client = await connectAs(fixture, caller, options)
    return String((await client.call("subagents", { action: "info", target: id })).data["next"])
  }
  expect(await ask({})).toContain("Decide with resume_subagent_task")
  expect(await ask({ noApprove: true })).toContain("You can reject the calls with resume_subagent_task")
  expect(await ask({ toolsets: ["sessions"] })).toContain("Only a person can decide here")
})
