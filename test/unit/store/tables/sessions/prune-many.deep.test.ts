import { performance } from "node:perf_hooks"
import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import { pruneTasks } from "../../../../../sessions/control/prune.ts"
import type { Store, WritableStore } from "../../../../../store/store.ts"
import { execute } from "../../../../helpers/store/store-under-test.ts"
import { createStoreLocation, messageRow, newSession, openTestStore, testEachDatabase } from "../../store-fixture.ts"

/** Each in PostgreSQL takes several times as long as in SQLite. The variable sets how many there are. */
const most = { sqlite: 100_000, postgres: 10_000 }
const wanted = process.env["ADJUTANT_TEST_SESSIONS"]
const perTransaction = 1_000
const start = Date.parse("2026-05-01T00:00:00Z")

/** An engine that knows none of the executions any more. */
const forgetful = {
  options: { namespace: "default" },
  workflowService: { deleteWorkflowExecution: () => Promise.resolve({}) },
  workflow: { async *list() {} },
}

const text = "x".repeat(300)

const endSession = async (writes: WritableStore, id: string): Promise<void> => {
  await writes.sessions.create(newSession(id, { title: `Task ${id}` }))
  await writes.messages.put(id, messageRow(1, text))
  await writes.events.append(id, [{ type: "run-started", runId: "r1", data: {} }])
  await writes.sessions.patch(id, { status: "completed" })
}

const fill = async (store: Store, sessions: number): Promise<void> => {
  for (let first = 0; first < sessions; first += perTransaction) {
    await store.transaction(async (writes) => {
      for (let index = first; index < Math.min(first + perTransaction, sessions); index += 1)
        await endSession(writes, `s${index}`)
    }, "crash")
    // SQLite's driver is synchronous: without this, the event loop would stand still.
    await nextTurn()
  }
}

/** Copies the rows of one session: over a connection, each session would take several statements. */
const copies = (sessions: number): readonly string[] => [
  `do $$ declare names text; taken text; begin
    select string_agg(quote_ident(column_name), ','), string_agg(case
        when column_name in ('id', 'root_id') then '''s'' || n'
        when column_name = 'session_key' then '''agent:general:main:s'' || n'
        else quote_ident(column_name) end, ',')
      into names, taken from information_schema.columns
      where table_schema = current_schema() and table_name = 'sessions' and column_name <> 'num';
    execute format('insert into sessions (%s) select %s from sessions, generate_series(1, ${sessions - 1}) as n where id = ''s0''',
      names, taken);
  end $$`,
  "insert into run_ids (run_id, session_num) select 'r1', num from sessions where id <> 's0'",
  `insert into messages select r.session_num, m.seq, r.num, m.step, m.fence, m.at, m.body
    from messages as m, run_ids as r where r.session_num <> m.session_num`,
  `insert into events (session_num, id, run_num, type, at, compacted, data)
    select r.session_num, e.id, r.num, e.type, e.at, e.compacted, e.data
    from events as e, run_ids as r where r.session_num <> e.session_num`,
  "analyze",
]

const eraseAll = async (store: Store, sessions: number, clock: { now: number }): Promise<void> => {
  await store.sessions.create(newSession("busy"))
  clock.now += 40 * 86_400_000

  const waits: number[] = []
  const done = new AbortController()
  const writing = (async () => {
    while (!done.signal.aborted) {
      const before = performance.now()
      await store.sessions.patch("busy", { stepsTaken: waits.length })
      waits.push(performance.now() - before)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const before = performance.now()
  let batches = 0
  const pruned = await pruneTasks(
    { store, temporal: forgetful, request: (call) => call(), onProgress: () => (batches += 1) },
    { beforeMs: clock.now - 30 * 86_400_000, keepLabels: [] },
  )
  const took = performance.now() - before
  done.abort()
  await writing
  const sorted = waits.toSorted((left, right) => left - right)
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1)
  console.log(
    `erased ${pruned.sessions} sessions in ${(took / 1_000).toFixed(1)} s, ${batches} batches; ${waits.length} writes of another task meanwhile took ${at(0.5)} ms (median), ${at(0.99)} ms (99 %), ${at(1)} ms (longest)`,
  )
  expect(pruned).toMatchObject({ tasks: sessions, sessions })
  expect(await store.sessions.listUnerased()).toEqual([])
  expect(await store.sessions.get("busy")).toMatchObject({ deletedAt: null })
  // No batch keeps others waiting for a substantial part of the whole time.
  expect(waits.length).toBeGreaterThan(sessions / 1_000)
  expect(Number(at(1))).toBeLessThan(took / 20)
}

testEachDatabase(() => {
  test("many sessions are erased while another writer works", { timeout: 1_800_000 }, async () => {
    const clock = { now: start }
    const place = await createStoreLocation()
    const store = await openTestStore({ ...place, now: () => clock.now })
    const backend = place.url === "sqlite:" ? "sqlite" : "postgres"
    const sessions = wanted === undefined ? most[backend] : Number(wanted)
    if (backend === "sqlite") await fill(store, sessions)
    else {
      await store.transaction((writes) => endSession(writes, "s0"))
      await execute(place.url, ...copies(sessions))
    }
    await eraseAll(store, sessions, clock)
  })
})
