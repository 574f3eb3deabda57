import { existsSync } from "node:fs"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import {
  findPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from "../../../scripts/cluster/private-postgres.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { describeWith } from "../../helpers/needs.ts"
import { postgres } from "../../helpers/store/store-under-test.ts"

const names = ["one", "two", "three"] as const

describeWith([postgres()], "a PostgreSQL primary that becomes read-only under three working runs", () => {
  let server: PrivatePostgres
  let harness: HttpHarness
  let isDone = false
  /** When each run asked its model, in milliseconds. */
  const steps = new Map<string, number[]>(names.map((name) => [name, []]))
  const stepsOf = (name: string): readonly number[] => steps.get(name) ?? []

  beforeAll(async () => {
    server = await startPrivatePostgres((await findPostgresPrograms()) ?? "")
    const model = createFakeModel(async ({ messages: [first] }, turn) => {
      const name = first?.role === "user" ? first.text : ""
      steps.get(name)?.push(performance.now())
      await delay(50)
      if (isDone) return { text: `${turn}` }
      return { calls: [["Write", { file_path: `${name}-${turn}.txt`, content: name }]] }
    })
    harness = await openHttpHarness({ model, config: { store: { url: server.url("postgres") } } })
  })
  afterAll(async () => {
    await harness.close()
    await server.stop()
  })

  const readiness = async (): Promise<unknown> => {
    const { status, body } = await harness.get("/readyz")
    return [status, body.store]
  }
  /** Waits until each run has taken so many further steps. */
  const untilSteps = async (more: number): Promise<void> => {
    const before = new Map(names.map((name) => [name, stepsOf(name).length]))
    await eventually(() => names.every((name) => stepsOf(name).length >= (before.get(name) ?? 0) + more), {
      timeoutMs: 120_000,
    })
  }
  const longestGapMs = (): number =>
    Math.max(...names.flatMap((name) => stepsOf(name).map((at, index, all) => at - (all[index - 1] ?? at))))

  it("loses nothing, and takes steps again as soon as a new connection can write", async () => {
    const ids = await Promise.all(
      names.map((prompt) => harness.start({ prompt, max_steps: 256, auto_approve: true, cwd: harness.cwd })),
    )
    await untilSteps(3)
    const usualMs = longestGapMs()

    // The open connections lead to what is a replica now, new ones to the new primary.
    await server.query("alter database postgres set default_transaction_read_only = off")
    await server.query("alter system set default_transaction_read_only = on")
    await server.query("select pg_reload_conf()")
    await untilSteps(3)
    const switchedMs = longestGapMs()
    expect(await readiness()).toEqual([200, true])

    // No server takes writes.
    await server.query("alter database postgres set default_transaction_read_only = on")
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
    await eventually(async () => JSON.stringify(await readiness()) === JSON.stringify([503, false]))
    const waits = async (id: string): Promise<boolean> =>
      (await harness.client.info(id)).blocked_by.some(({ type }) => type === "store")
    for (const id of ids) await eventually(() => waits(id))
    await server.query("set transaction read write; alter database postgres set default_transaction_read_only = off")
    await server.query("alter system reset default_transaction_read_only")
    await server.query("select pg_reload_conf()")
    await untilSteps(3)
    expect(await readiness()).toEqual([200, true])
    for (const id of ids) await eventually(async () => !(await waits(id)))

    isDone = true
    const documents = await Promise.all(ids.map((id) => harness.client.wait(id)))
    for (const [index, name] of names.entries()) {
      const document = documents[index]
      if (document?.outcome !== "completed") throw new Error(`${name} has not completed`)
      const taken = Number(document.final_message)
      const results = (await harness.client.messages(ids[index]!)).flatMap(({ message }) =>
        message.role === "tool" ? [message.outcome] : [],
      )
      const files = Array.from({ length: taken - 1 }, (_, turn) => path.join(harness.cwd, `${name}-${turn + 1}.txt`))
      expect([name, results.length, results.filter((outcome) => outcome !== "ok")]).toEqual([name, taken - 1, []])
      expect(files.filter((file) => !existsSync(file))).toEqual([])
    }
    console.log(
      `longest time between two steps of a run: ${Math.round(usualMs)} ms before, ${Math.round(switchedMs)} ms over the switch, ${Math.round(longestGapMs())} ms with the time without a primary`,
    )
  })
})
