import { expect, it } from "vitest"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { EngineGuard } from "../../../engine/engine-guard.ts"
import { clientFixture, request } from "../../unit/client/client-fixture.ts"
import { anyEngine, unavailable } from "../../unit/client/fake-temporal.ts"

/** A guard that finds another engine from its nth comparison on, until the store's own is back. */
const replacedAt = (comparison: number) => {
  let count = 0
  const state = { isBack: false }
  const compare = (): void => {
    count += 1
    if (!state.isBack && count >= comparison)
      throw new AdjutantError("engine_mismatch", "the store belongs to another Temporal: check TEMPORAL_ADDRESS")
  }
  const guard: EngineGuard = {
    ...anyEngine,
    verify: async () => {
      compare()
      return await anyEngine.verify()
    },
    verifyFromTimeToTime: async () => compare(),
  }
  return { guard, state }
}

const idsOf = (text: string): readonly string[] => /session (\w+) may have started/.exec(text)?.slice(1) ?? []
const failureOf = (work: Promise<unknown>): Promise<AdjutantError> =>
  work.then(
    () => Promise.reject(new Error("it started")),
    (error: AdjutantError) => error,
  )

it.each([
  ["after the start was answered", false],
  ["after the answer of the start was lost", true],
])("keeps a session that the store's engine may have started when another one is found %s", async (_, isLost) => {
  const { guard, state } = replacedAt(2)
  const { client, store, temporal } = await clientFixture({ engine: guard, timing: { engineTimeoutMs: 10_000 } })
  if (isLost)
    temporal.after = (name) => {
      if (name === "start") throw unavailable()
    }
  const error = await failureOf(client.start(request))
  expect(error.code).toBe("engine_mismatch")
  const [id = ""] = idsOf(error.message)
  expect(await store.sessions.get(id)).toMatchObject({ id, status: "pending" })
  state.isBack = true
  expect(temporal.execution(id).status).toBe("RUNNING")
  expect(await client.info(id)).toMatchObject({ id, status: "pending" })
})

it("leaves no row of a session that was never sent to an engine", async () => {
  const { guard } = replacedAt(1)
  const { client, store, temporal } = await clientFixture({ engine: guard })
  expect(await failureOf(client.start(request))).toMatchObject({ code: "engine_mismatch" })
  expect(temporal.executions.size).toBe(0)
  expect((await store.sessions.list({ limit: 10 })).items).toEqual([])
})
