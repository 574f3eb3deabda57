import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createSecretRedact } from "../../../config/secrets/secrets.ts"
import { configSchema } from "../../../contracts/config/config.ts"
import { createTreeRegistry } from "../../../service/tree-registry.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import { baseSnapshot } from "../client/client-fixture.ts"
import { newSession, openTestStore } from "../store/store-fixture.ts"

let cwd: string
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-trees-")))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const config = configSchema.parse({})

const open = async () => {
  let nowMs = 0
  const store = await openTestStore()
  const env: Record<string, string | undefined> = {}
  const trees = createTreeRegistry({ dataDir: path.join(cwd, "data"), config, store, env, now: () => nowMs })
  const register = (rootId: string | null, key: string, temporal: string | null = null) =>
    trees.register({
      temporal_address: temporal,
      ...{ root_id: rootId, cwd, config_path: null, is_trusted: true, needs_keys: false, is_followed: false },
      env: { HOME: cwd, XDG_STATE_HOME: cwd, OPENAI_API_KEY: key },
    })
  return { store, env, trees, register, later: () => void (nowMs += 100_000) }
}

it("gives each tree, children included, what its own command brought, and shares what is the same", async () => {
  const { store, trees, register } = await open()
  expect(await trees.surroundingsOf("r1")).toBeUndefined()
  await register("r1", "key-one")
  await register("r2", "key-two")
  await register("r3", "key-one")
  await store.sessions.create(newSession("child", { rootId: "r2", parentId: "r2" }))
  expect((await trees.surroundingsOf("r1"))?.env["OPENAI_API_KEY"]).toBe("key-one")
  expect((await trees.surroundingsOf("child"))?.env["OPENAI_API_KEY"]).toBe("key-two")
  expect(await trees.surroundingsOf("r3")).toBe(await trees.surroundingsOf("r1"))
  expect(await trees.surroundingsOf("unknown")).toBeUndefined()
})

it("reads the configuration that the tree's command has read", async () => {
  const { trees, register } = await open()
  await register("before", "k")
  await writeFile(path.join(cwd, "adjutant.config.yaml"), "timing: { modelAttempts: 7 }\n")
  await register("after", "k")
  expect((await trees.surroundingsOf("after"))?.timing?.modelAttempts).toBe(7)
  expect((await trees.surroundingsOf("before"))?.timing?.modelAttempts).not.toBe(7)
  await writeFile(path.join(cwd, "adjutant.config.yaml"), "timing: { modelAttempts: no }\n")
  await expect(register("broken", "k")).rejects.toMatchObject({ code: "invalid_config" })
})

it("refuses a command that names another store or another Temporal", async () => {
  const { env, register } = await open()
  await expect(register("r1", "k", "10.0.0.1:7233")).rejects.toMatchObject({
    code: "service_unavailable",
    message: expect.stringMatching(/the Temporal at 10\.0\.0\.1:7233 .* uses the embedded one/),
  })
  env["TEMPORAL_ADDRESS"] = "10.0.0.1:7233"
  await register("r1", "k", "10.0.0.1:7233")
  await register("r2", "k")
  await writeFile(path.join(cwd, "adjutant.config.yaml"), 'store: { url: "postgres://elsewhere/db" }\n')
  await expect(register("r3", "k")).rejects.toMatchObject({
    message: expect.stringMatching(/^this command names another store/),
  })
})

it("takes the secrets of every tree out of what the service shows", async () => {
  const { env, trees, register } = await open()
  await register("r1", "sk-brought-for-a-tree")
  const redact = createSecretRedact({ config: configSchema.parse({}), models: {} }, env)
  expect(redact("the key sk-brought-for-a-tree")).not.toContain("sk-brought")
  expect((await trees.surroundingsOf("r1"))?.redact("the key sk-brought-for-a-tree")).not.toContain("sk-brought")
})

it("forgets what was brought when the tree has ended, and not while its task may be about to start", async () => {
  const { store, trees, register, later } = await open()
  await register("r1", "k")
  const released = (await trees.surroundingsOf("r1"))?.released
  expect(trees.expectsTask()).toBe(true)
  await trees.forgetEnded()
  expect(await trees.surroundingsOf("r1")).toBeDefined()
  await store.sessions.create(newSession("r1", { rootId: "r1" }))
  await store.sessions.create(newSession("child", { rootId: "r1", parentId: "r1" }))
  await store.sessions.patch("r1", { status: "completed" })
  later()
  expect(trees.expectsTask()).toBe(false)
  await trees.forgetEnded()
  expect(await trees.surroundingsOf("r1")).toBeDefined()
  await store.sessions.patch("child", { status: "cancelled" })
  await trees.forgetEnded()
  expect([await trees.surroundingsOf("r1"), released?.aborted]).toEqual([undefined, true])
})

it("gives a tree that nobody brought values for those of the newest start, where they go to the same addresses", async () => {
  const { store, trees, register, later } = await open()
  const openRun = async (id: string, change: Partial<ModelSpec>): Promise<void> => {
    const spec = { provider: "openai", model: "gpt", apiKeyEnv: "OPENAI_API_KEY", maxOutputTokens: 1, price: null }
    const models = { main: { ...spec, ...change } as ModelSpec }
    const snapshotHash = await store.snapshots.put({ ...baseSnapshot, model: "main", models })
    await store.sessions.create(newSession(id))
    await store.runs.create({ runId: `run-${id}`, sessionId: id, snapshotHash })
    await store.sessions.patch(id, { runId: `run-${id}`, status: "running" })
  }
  await openRun("same", {})
  await openRun("moved", { baseUrl: "https://elsewhere.example/v1" })
  await openRun("other", { apiKeyEnv: "ANOTHER_KEY" })
  const keyOf = async (id: string) => (await trees.surroundingsOf(id))?.env["OPENAI_API_KEY"]
  expect(await keyOf("same")).toBeUndefined()
  await register(null, "of-the-first-start")
  await register(null, "of-the-newest-start")
  await register("resumed", "of-a-resume")
  expect(await keyOf("same")).toBe("of-the-newest-start")
  expect([await trees.surroundingsOf("moved"), await trees.surroundingsOf("other")]).toEqual([undefined, undefined])
  await register("same", "its-own")
  expect(await keyOf("same")).toBe("its-own")
  later()
  await trees.forgetEnded()
  expect(await keyOf("resumed")).toBeUndefined()
})
