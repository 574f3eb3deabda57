import { afterEach, describe, expect, it } from "vitest"
import { createRemoteClient } from "../../../client/remote/create-remote-client.ts"
import { defaultRemoteTiming } from "../../../client/remote/server-connection.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"

let harness: HttpHarness
afterEach(() => harness.close())

const profile = (prompt: string) => ({ prompt, tools: ["Read"] })
const actor = { by: "ana", via: "cli" } as const

describe("a profile that is created over HTTP", () => {
  it("runs sessions, which keep its settings after it is edited or deleted", async () => {
    const prompts: string[] = []
    harness = await openHttpHarness({
      config: { profiles: { source: "store" } },
      model: createFakeModel(({ systemPrompt }, turn) => {
        prompts.push(/First|Second/.exec(systemPrompt)?.[0] ?? "other")
        return { text: `Answer ${turn}.` }
      }),
    })
    const { url, post, get, client } = harness
    const remote = createRemoteClient({ url, token: "any", timing: defaultRemoteTiming })
    await remote.profiles.create({ name: "editor", profile: profile("First.") }, actor)
    const begin = async (): Promise<string> =>
      (await post("/v1/runs", { message: "Edit.", agent: "editor" })).body.session_id
    const outcomeOf = async (id: string) => (await get(`/v1/sessions/${id}/outcome?wait_seconds=50`)).body
    const first = await begin()
    expect(await outcomeOf(first)).toMatchObject({ outcome: "completed", final_message: "Answer 1." })

    expect(
      await remote.profiles.update({ name: "editor", profile: profile("Second."), version: 1 }, actor),
    ).toMatchObject({
      version: 2,
    })
    const second = await begin()
    expect(await outcomeOf(second)).toMatchObject({ outcome: "completed" })
    await remote.profiles.delete({ name: "editor", version: 2 }, actor)
    expect(await post("/v1/runs", { message: "Edit.", agent: "editor" })).toMatchObject({
      ...{ status: 400, body: { code: "agent_not_found" } },
    })
    // The session continues with the settings that it started with.
    expect((await post(`/v1/sessions/${first}/messages`, { message: "Again." })).status).toBe(202)
    await eventually(async () => (await client.info(first)).final_message === "Answer 2.")
    expect(prompts).toEqual(["First", "Second", "First"])
    const rows = (await client.audit({})).items.filter(({ action }) => action.startsWith("profile-"))
    expect(rows.map(({ action }) => action)).toEqual(["profile-delete", "profile-update", "profile-create"])
    expect((await remote.profiles.list()).map(({ id }) => id)).toEqual(["general", "explore", "plan", "summary"])
  })
})
