import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { examineEngine } from "../../../../cli/doctor/examine-engine.ts"
import { loadConfig } from "../../../../config/load-config.ts"
import type { Store } from "../../../../store/store.ts"
import { newSession, openTestStore, createTemporaryFolder } from "../../store/store-fixture.ts"

const engine = { namespaceId: "id-1", namespace: "default", address: "10.0.0.1:7233", scheduleCreatedAt: null }

const place = async () => {
  const dataDir = await createTemporaryFolder()
  const env = { HOME: dataDir, PATH: "" }
  const loaded = await loadConfig({ cwd: dataDir, env, dataDir })
  return {
    dataDir,
    examine: (more: object = {}) => examineEngine(loaded, { ...env, ...more }, { connectTimeoutMs: 100 }),
  }
}

const missSessions = async (store: Store, claimId: string, { missing, open }: Record<"missing" | "open", number>) => {
  for (let index = 0; index < open; index += 1) {
    const id = `s${index}`
    await store.sessions.create(newSession(id))
    await store.sessions.patch(id, { status: "paused", runId: `run-${id}` })
    if (index < missing) await store.missing.note(id, { runId: `run-${id}`, claimId })
  }
}

describe("adjutant doctor", () => {
  it("has nothing to compare without a store, or with a store that belongs to no Temporal server", async () => {
    const { dataDir, examine } = await place()
    expect(await examine()).toMatchObject([{ name: "engine", status: "ok", detail: "no store yet" }])
    await openTestStore({ dataDir })
    expect(await examine()).toMatchObject([{ name: "engine", status: "ok" }])
  })

  it("says of a store that it cannot read that it is there", async () => {
    const { dataDir, examine } = await place()
    await writeFile(join(dataDir, "store.db"), "")
    expect(await examine()).toMatchObject([{ name: "engine", detail: expect.stringContaining("of another version") }])
  })

  it("names the runs of the last days whose prompts a server cut, and what to change", async () => {
    const { dataDir, examine } = await place()
    const day = 24 * 60 * 60 * 1_000
    let nowMs = Date.now() - 8 * day
    const store = await openTestStore({ dataDir, now: () => nowMs })
    await store.engine.claim(engine)
    const cut = async (id: string, runId: string) => {
      const message = `prompt_cut: model qwen3 read 4096 tokens, as ${runId} says`
      await store.events.append(id, [{ type: "prompt-cut", runId, ordinal: 0, data: { step: 1, message } }])
      await store.sessions.patch(id, { stepsTaken: 1 })
    }
    await store.sessions.create(newSession("s1"))
    await store.sessions.create(newSession("s2"))
    await cut("s1", "run-old")
    const prompts = async () => (await examine()).filter(({ name }) => name === "prompts")
    expect(await prompts()).toEqual([])
    nowMs += 7 * day
    await cut("s1", "run-1")
    nowMs += day / 2
    await cut("s2", "run-2")
    expect(await prompts()).toMatchObject([
      {
        status: "warn",
        detail: expect.stringMatching(
          /^2 runs of the last 7 days had a prompt that the server cut; the last one was s2 at .*: model qwen3 read 4096 tokens, as run-2/,
        ),
        hint: expect.stringContaining("contextTokens"),
      },
    ])
  })

  it("reports that the embedded engine is gone, or that no engine is running", async () => {
    const { dataDir, examine } = await place()
    const store = await openTestStore({ dataDir })
    await store.engine.claim(engine)
    const [gone] = await examine()
    expect(gone).toMatchObject({ status: "fail", detail: expect.stringContaining(join(dataDir, "temporal.db")) })
    await writeFile(join(dataDir, "temporal.db"), "")
    const [idle] = await examine()
    expect(idle).toMatchObject({ status: "ok", detail: expect.stringContaining("not compared") })
  })

  it("reports that a named server does not answer", async () => {
    const { dataDir, examine } = await place()
    const store = await openTestStore({ dataDir })
    await store.engine.claim(engine)
    const [away] = await examine({ TEMPORAL_ADDRESS: "127.0.0.1:1" })
    expect(away).toMatchObject({ status: "fail", detail: expect.stringContaining("127.0.0.1:1") })
  })

  it.each([
    [0, 3, "ok", "none missing", undefined],
    [5, 5, "warn", "5 of the 5", expect.any(String)],
    [6, 6, "fail", "ends none of them", expect.stringContaining("adjutant reconcile --accept-missing")],
  ] as const)("reports for %d missing sessions among %d open ones: %s", async (missing, open, status, text, hint) => {
    const { dataDir, examine } = await place()
    await writeFile(join(dataDir, "temporal.db"), "")
    const store = await openTestStore({ dataDir })
    const { claimId } = await store.engine.claim(engine)
    await missSessions(store, claimId, { missing, open })
    const finding = (await examine()).find(({ name }) => name === "sessions")
    expect(finding).toMatchObject({ status, detail: expect.stringContaining(text) })
    expect(finding?.hint).toEqual(hint)
  })
})
