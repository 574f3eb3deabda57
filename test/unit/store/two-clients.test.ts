import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"
import { openStore } from "../../../store/open-store.ts"
import type { NewBinding, Store } from "../../../store/store.ts"
import {
  createStoreLocation,
  createTemporaryFolder,
  event,
  messageRow,
  newPause,
  newSession,
  testEachDatabase,
  usageEntry,
} from "./store-fixture.ts"

// Two clients write a row with the same unique key at the same moment: one has it, or both have the same, and neither gets an error of the database.

type Client = 0 | 1

interface Race {
  /** The unique keys, as `table(columns)`. */
  readonly keys: readonly string[]
  readonly write: (store: Store, round: number, client: Client) => Promise<unknown>
  /** Checks what the two were answered, and what is stored. */
  readonly check: (answers: readonly unknown[], store: Store, round: number) => unknown
}

/** Repeats make it likely that the statements of both overlap. */
const rounds = [1, 2, 3, 4, 5, 6]

const oneWon = (answers: readonly unknown[]) => expect(answers).toEqual(expect.arrayContaining([true, false]))
const bothAnswered = (answers: readonly unknown[]) => expect(answers).toHaveLength(2)
const bothSame = ([first, second]: readonly unknown[]) => expect(second).toEqual(first)
const kindsAre =
  (...kinds: readonly string[]) =>
  (answers: readonly unknown[]) =>
    expect(answers.map((answer) => (answer as { readonly kind: string }).kind).toSorted()).toEqual(kinds)

const run = { sessionId: "s1", runId: "r1" }
const policy = { attempts: 1, initialMs: 1, maxMs: 1, timeoutMs: 1 }
const binding = (sessionId: string, threadKey: string): NewBinding => ({
  ...{ sessionId, channel: "team", threadKey, idleMs: 5_000, maxAgeMs: 0 },
  outbound: { url: "https://example.test/out", secretEnv: "T", policy, spawnSubagentSessions: true },
})
const later = () => new Date(Date.now() + 3_600_000).toISOString()

const races: Readonly<Record<string, Race>> = {
  "a session": {
    keys: ["sessions(num)", "sessions(id)"],
    write: (store, round, client) => store.sessions.create(newSession(`n${round}`, { title: `${client}` })),
    check: oneWon,
  },
  "the number of a sub-agent": {
    keys: ["session_numbers(owner)"],
    write: (store, round, client) =>
      store.sessions.create(newSession(`c${round}-${client}`, { parentId: `p${round}`, rootId: "s1", depth: 1 })),
    check: async (answers, { sessions }, round) => {
      expect(answers).toEqual([true, true])
      const both = [await sessions.get(`c${round}-0`), await sessions.get(`c${round}-1`)]
      expect(both.map((row) => row?.number)).toEqual(expect.arrayContaining([1, 2]))
    },
  },
  "a run": {
    keys: ["run_ids(num)", "run_ids(run_id,session_num)", "runs(run_num)"],
    write: (store, round, client) =>
      store.runs.create({ runId: `run-${round}`, sessionId: "s1", snapshotHash: `h${client}` }),
    check: async (_, { runs }, round) =>
      expect((await runs.list("s1")).filter(({ runId }) => runId === `run-${round}`)).toHaveLength(1),
  },
  settings: {
    keys: ["snapshots(hash)"],
    write: (store, round) => store.snapshots.put(JSON.parse(`{"tools":["t${round}"]}`)),
    check: bothSame,
  },
  "a row of a transcript": {
    keys: ["messages(session_num,seq)"],
    write: (store, round, client) => store.messages.put("s1", messageRow(round, `text of ${client}`)),
    check: async (_, { messages }, round) =>
      expect(JSON.stringify(await messages.get("s1", round))).toMatch(/text of [01]/),
  },
  "a message that waits": {
    keys: ["inbox(session_num,id)"],
    write: (store, round, client) =>
      store.inbox.put({ id: `i${round}`, sessionId: "s1", source: "steering", text: `text of ${client}` }),
    check: async (_, { inbox }, round) => expect((await inbox.get("s1", `i${round}`))?.text).toMatch(/text of [01]/),
  },
  "an image": {
    keys: ["media(session_num,id)"],
    write: (store, round) => {
      const content = { id: `m${round}`, mediaType: "image/png", sha256: "a", data: Buffer.from([1]) } as const
      return store.media.put("s1", [content], 1_000)
    },
    check: ([first, second], _, round) =>
      expect([first, second]).toEqual([new Set([`m${round}`]), new Set([`m${round}`])]),
  },
  "the notes of a folder": {
    keys: ["shown_folders(session_num,folder)"],
    write: (store, round, client) => store.shownFolders.show("s1", 100 + client, [`f${round}`]),
    check: (answers) => expect(answers.flat()).toHaveLength(1),
  },
  todos: {
    keys: ["todos(session_num)"],
    write: (store, _, client) => store.todos.write("s1", [{ content: `${client}`, status: "pending" }]),
    check: async (_, { todos }) => expect(await todos.read("s1")).toHaveLength(1),
  },
  "a file that was read": {
    keys: ["touched_files(session_num,path)"],
    write: (store, round, client) => store.touchedFiles.put("s1", { path: `${round}`, seen: `${client}` }),
    check: async (_, { touchedFiles }, round) => expect(await touchedFiles.seen("s1", `${round}`)).toMatch(/[01]/),
  },
  "an event": {
    keys: ["events(session_num,id)", "events(session_num,run_num,ordinal)"],
    write: (store, round, client) =>
      store.events.append("s1", [event({ round, is: "ordered" }, round), event({ round, is: "other", client })]),
    check: async (_, { events }, round) => {
      const own = (await events.read("s1", { after: 0, limit: 1_000 })).events.filter((each) => each["round"] === round)
      expect(own.map((each) => String(each["is"])).toSorted()).toEqual(["ordered", "other", "other"])
    },
  },
  "the claim of a call": {
    keys: ["claims(session_num,seq)"],
    write: (store, round, client) =>
      store.claims.claim({ ...run, seq: round, callId: "c", callHash: "h", tool: "Bash", fence: client }),
    check: (answers) => expect(answers.filter((answer) => (answer as { claimed: boolean }).claimed)).toHaveLength(1),
  },
  "the preview of a call": {
    keys: ["call_previews(session_num,seq)"],
    write: (store, round, client) =>
      store.callPreviews.put("s1", [
        { seq: round, callId: "c", preview: { summary: `${client}`, flags: [] }, watched: null },
      ]),
    check: bothAnswered,
  },
  "new arguments of a call": {
    keys: ["call_edits(session_num,seq)"],
    write: (store, round, client) => store.callEdits.put("s1", { seq: round, callId: "c", arguments: { client } }),
    check: bothAnswered,
  },
  "a pause": {
    keys: ["pauses(num)", "pauses(checkpoint_id)", "pauses(session_num,run_num,ordinal)"],
    write: (store, round, client) => store.pauses.open(newPause(`cp${round}-${client}`, { ordinal: round })),
    check: bothSame,
  },
  "a grant": {
    keys: ["grants(id)"],
    write: (store, round) => {
      const by = { createdBy: "mia", createdVia: "cli", expiresAt: later() }
      return store.grants.create({ id: `g${round}`, sessionId: "s1", tool: "Write", arguments: {}, ...by }, 100)
    },
    check: async (_, { grants }, round) =>
      expect((await grants.list("s1")).filter(({ id }) => id === `g${round}`)).toHaveLength(1),
  },
  "an entry of the audit log": {
    keys: ["audit(id)", "audit(key)"],
    write: (store, round, client) =>
      store.audit.record({
        ...{ sessionId: "s1", runId: null, action: `a${round}`, by: `${client}`, via: "cli", detail: {} },
        key: `k${round}`,
      }),
    check: async (_, { audit }, round) =>
      expect((await audit.list({ sessionId: "s1" })).filter(({ action }) => action === `a${round}`)).toHaveLength(1),
  },
  "the usage of a call, and of its day": {
    keys: ["usage(session_num,run_num,step,fence)", "daily_usage(day)"],
    write: (store, round) => store.usage.put(usageEntry({ step: round, costMicroUsd: 100 })),
    check: async (_, { dailyUsage }, round) =>
      expect(await dailyUsage.today()).toMatchObject({ used: { microUsd: 100 * round } }),
  },
  "a reservation for a day": {
    keys: ["call_reservations(session_num,run_num,step)"],
    write: (store, round) => {
      const call = { ...run, step: round, microUsd: 100, tokens: 1 }
      return store.dailyUsage.reserve(call, { microUsd: 100_000, tokens: null })
    },
    check: async (_, { dailyUsage }, round) =>
      expect(await dailyUsage.today()).toMatchObject({ reserved: { microUsd: 100 * round } }),
  },
  "a reservation for a key": {
    keys: ["provider_keys(provider_key)", "provider_calls(session_num,run_num,step)"],
    write: (store, round) =>
      store.providerCalls.reserve(
        { ...run, step: round },
        { key: `key ${round}`, limits: { concurrent: 1 }, tokens: 0, leaseMs: 30_000 },
      ),
    check: (answers) => expect(answers).toEqual([{ isReserved: true }, { isReserved: true }]),
  },
  "an idempotency key": {
    keys: ["idempotency_keys(scope,key)"],
    write: (store, round) =>
      store.idempotencyKeys.begin({
        ...{ scope: "ci", key: `k${round}`, fingerprint: "f", keepMs: 60_000, leaseMs: 60_000 },
      }),
    check: kindsAre("begun", "in-progress"),
  },
  "a delivery": {
    keys: ["deliveries(key)"],
    write: (store, round, client) => {
      const to = { url: "https://example.test/hook", secretEnv: "S", policy }
      const what = { kind: "webhook", event: "run-finished", body: `${client}` } as const
      return store.deliveries.create({ key: `d${round}`, ...run, ...what, ...to })
    },
    check: async (_, { deliveries }, round) => expect((await deliveries.get(`d${round}`))?.body).toMatch(/^[01]$/),
  },
  "the binding of a new session to a thread": {
    keys: ["bindings(channel,thread_key)"],
    write: (store, round, client) => store.bindings.bindNew(binding(`b${round}-${client}`, `new ${round}`)),
    check: oneWon,
  },
  "the binding of a session": {
    keys: ["bindings(session_num)"],
    write: (store, round, client) => store.bindings.bind(binding("s1", `${round}-${client}`)),
    check: async (_, { bindings }) =>
      expect((await bindings.list()).filter(({ sessionId }) => sessionId === "s1")).toHaveLength(1),
  },
  "a profile": {
    keys: ["profiles(name)"],
    write: (store, round, client) =>
      store.profiles.change(
        { name: `p${round}`, base: "none", profile: { prompt: `${client}` }, by: "ana", via: "http" },
        { mostProfiles: 100, mostBytes: 1_000 },
      ),
    check: kindsAre("changed", "conflict"),
  },
  "a worker": {
    keys: ["workers(identity)"],
    write: (store, round) => store.workers.note({ identity: `${round}`, machine: `m${round}`, pid: 1, start: "s" }),
    check: async (_, { workers }, round) => expect(await workers.onMachine(`m${round}`)).toHaveLength(1),
  },
  "a request to stop": {
    keys: ["stop_requests(run_id)"],
    write: (store, round) => store.stopRequests.add(`r${round}`),
    check: async (_, { stopRequests }, round) => expect(await stopRequests.among([`r${round}`])).toHaveLength(1),
  },
  "a machine": {
    keys: ["machines(name)"],
    write: (store, round) => store.machines.note(`m${round}`),
    check: async (_, { machines }, round) =>
      expect((await machines.list()).filter(({ name }) => name === `m${round}`)).toHaveLength(1),
  },
  "what was left on a machine": {
    keys: ["left_processes(machine,session_id)"],
    write: (store, round) => store.machines.noteLeft(`left ${round}`, "s1"),
    check: async (_, { machines }, round) => expect(await machines.leftOn(`left ${round}`)).toEqual(["s1"]),
  },
  "a worktree": {
    keys: ["worktrees(session_num)"],
    write: (store, round) =>
      store.worktrees.open({ sessionId: `b${round}-0`, machine: "m", path: "/w", source: "/project" }),
    check: oneWon,
  },
  "an execution that is missing": {
    keys: ["missing_executions(session_num)"],
    write: (store, round) => store.missing.note(`b${round}-0`, { runId: "r", claimId: "c" }),
    check: (answers) =>
      expect(answers.map((answer) => (answer as { times: number }).times)).toEqual(expect.arrayContaining([1, 2])),
  },
  "the position of a job": {
    keys: ["job_cursors(job)"],
    write: (store, round, client) => store.reconciler.setCursor(`j${round}`, `${client}`),
    check: async (_, { reconciler }, round) => expect(await reconciler.cursor(`j${round}`)).toMatch(/^[01]$/),
  },
  "an orphan": {
    keys: ["orphan_sightings(session_num)"],
    write: (store, round, client) =>
      store.reconciler.noteOrphan(`b${round}-0`, { executionId: "e", passId: `pass ${client}` }),
    check: (answers) => expect(answers).toEqual(expect.arrayContaining([1, 2])),
  },
  "a secret of the store": {
    keys: ["meta(key)"],
    write: (store, round) => store.secret(`${round}`),
    check: bothSame,
  },
}

/** Returns the unique keys of the schema. */
const uniqueKeys = async (): Promise<readonly string[]> => {
  const dataDir = await createTemporaryFolder()
  await (await openStore({ url: "sqlite:", dataDir })).close()
  const db = new DatabaseSync(join(dataDir, "store.db"), { readOnly: true })
  const names = (sql: string): readonly string[] =>
    db
      .prepare(sql)
      .all()
      .map((row) => String(row["name"]))
  try {
    const tables = names(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    )
    return tables.flatMap((table) => {
      const primary = names(`select name from pragma_table_info('${table}') where pk > 0 order by pk`)
      const others = names(`select name from pragma_index_list('${table}') where "unique" = 1 and origin <> 'pk'`)
      return [primary, ...others.map((index) => names(`select name from pragma_index_info('${index}') order by seqno`))]
        .filter((columns) => columns.length > 0)
        .map((columns) => `${table}(${columns.join(",")})`)
    })
  } finally {
    db.close()
  }
}

test("each unique key of the store has a race of two clients", async () => {
  const raced = Object.values(races).flatMap(({ keys }) => keys)
  expect(raced.toSorted()).toEqual((await uniqueKeys()).toSorted())
})

testEachDatabase(() => {
  test.each(Object.entries(races))("two clients at once: %s", async (_, { write, check }) => {
    const place = await createStoreLocation()
    const [first, second] = [await openStore(place), await openStore(place)]
    onTestFinished(async () => {
      await first.close()
      await second.close()
    })
    await first.sessions.create(newSession("s1"))
    for (const round of rounds) {
      for (const client of [0, 1]) await first.sessions.create(newSession(`b${round}-${client}`))
      const answers = await Promise.all([write(first, round, 0), write(second, round, 1)])
      await check(answers, first, round)
    }
  })
})
