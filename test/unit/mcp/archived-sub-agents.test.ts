import { expect, it } from "vitest"
import { connectAs, spawnAs } from "./connect-as.ts"
import { clientFixture } from "../client/client-fixture.ts"

it("lets a client find archived sub-agents, and keeps the numbers of the others", async () => {
  const fixture = await clientFixture()
  const caller = "stdio:default:/srv/project"
  const first = await spawnAs(fixture, caller, "first")
  const second = await spawnAs(fixture, caller, "second")
  await fixture.store.sessions.archive(first, new Date().toISOString())
  const client = await connectAs(fixture, caller)
  const idsOf = async (args: Record<string, unknown>) => {
    const { sessions } = (await client.call("sessions_list", args)).data as {
      readonly sessions: readonly { id: string }[]
    }
    return sessions.map(({ id }) => id)
  }
  expect(await idsOf({})).toEqual([second])
  expect(await idsOf({ archived: true })).toEqual([first])
  expect((await client.call("subagents", { action: "info", target: "#2" })).data).toMatchObject({ task_id: second })
  expect((await client.call("subagents", { action: "info", target: "#3" })).data).toMatchObject({
    error: { code: "TASK_NOT_FOUND" },
  })
})
