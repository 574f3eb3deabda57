import { describe, expect, it, vi } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { Store } from "../../../store/store.ts"
import { actor } from "../../unit/client/client-fixture.ts"
import { openSettings } from "../../unit/sessions/settings/settings-rig.ts"

// The store failed right after it had committed a change of a profile. The change was answered with an error, and its repetition with a conflict.

const config: ConfigInput = {
  models: { main: { provider: "scripted", script: "demo.yaml" } },
  profiles: { source: "store" },
}
const editor = { prompt: "You edit." }

/** Lets nothing be read once a change has been committed. */
const failAfterChanges = (store: Store): void => {
  const { change } = store.profiles
  const fails = () => Promise.reject(new Error("the disk is full"))
  vi.spyOn(store.profiles, "change").mockImplementation(async (...args) => {
    const outcome = await change(...args)
    vi.spyOn(store.profiles, "list").mockImplementation(fails)
    vi.spyOn(store.sessions, "listOpen").mockImplementation(fails)
    return outcome
  })
}

const open = async () => {
  const { client, store, start } = await openSettings(config, {})
  await client.profiles.create({ name: "editor", profile: editor }, actor)
  return { client, store, start }
}

describe("a profile is changed, although the store fails after the change", () => {
  it("and its creation is answered as reading it would be", async () => {
    const { client, store, start } = await open()
    await start({ agent: "editor" })
    await client.profiles.delete({ name: "editor" }, actor)
    failAfterChanges(store)
    const created = await client.profiles.create({ name: "editor", profile: { ...editor, maxSteps: 3 } }, actor)
    vi.restoreAllMocks()
    expect(created).toMatchObject({ version: 3, source: "store", updated_by: actor.by, active: 1 })
    expect(created).toEqual(await client.profiles.read("editor"))
  })

  it("and its replacement is answered as reading it would be", async () => {
    const { client, store } = await open()
    failAfterChanges(store)
    const replaced = await client.profiles.update(
      { name: "editor", profile: { prompt: "You edit well." }, version: 1 },
      actor,
    )
    vi.restoreAllMocks()
    expect(replaced).toMatchObject({ version: 2, profile: { prompt: "You edit well." } })
    expect(replaced).toEqual(await client.profiles.read("editor"))
  })

  it("and its deletion is answered without an error", async () => {
    const { client, store } = await open()
    failAfterChanges(store)
    await client.profiles.delete({ name: "editor" }, actor)
    vi.restoreAllMocks()
    expect(await store.profiles.list()).toEqual([])
  })
})
