import { tmpdir } from "node:os"
import { ScheduleOverlapPolicy } from "@temporalio/client"
import { afterEach, expect, it, onTestFinished } from "vitest"
import { createRemoteClient } from "../../client/remote/create-remote-client.ts"
import { defaultRemoteTiming } from "../../client/remote/server-connection.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { scheduleSchema } from "../../contracts/config/schedules.ts"
import { addRunSchedule } from "../../engine/schedules/run-schedules.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { runScheduleId } from "../../domain/schedules/scheduled-run.ts"
import { eventually } from "../helpers/eventually.ts"
import { type HttpHarness, openHttpHarness } from "../helpers/http/http-harness.ts"
import { createFakeTurns, type FakeReply } from "../helpers/models/fake-model.ts"

let harness: HttpHarness
const never = "0 0 29 2 *"
const actor = { by: "ana", via: "cli" }
const scheduleOf = (name: string) =>
  harness.temporal.schedule.getHandle(runScheduleId(taskQueueOf(harness.store.storeId), name))

afterEach(async () => {
  for (const name of ["nightly", "triage"])
    await scheduleOf(name)
      .delete()
      .catch(() => undefined)
  await harness.close()
})

const tokens = { RUNNER: "token-of-ana", OTHER: "token-of-ben", ADMIN: "token-of-root" }
const open = async (turn: FakeReply, config: object = {}) => {
  const http = {
    workspaces: [tmpdir()],
    tokens: [
      { name: "ana", tokenEnv: "RUNNER", scopes: ["run", "read"] as ("run" | "read")[] },
      { name: "ben", tokenEnv: "OTHER", scopes: ["run", "approve", "read"] as ("run" | "approve" | "read")[] },
      { name: "root", tokenEnv: "ADMIN", scopes: ["admin"] as "admin"[] },
    ],
  }
  const env = tokens
  harness = await openHttpHarness({ model: createFakeTurns(turn), env, config: { http, ...config } }, { env })
  const client = (token: string) => createRemoteClient({ url: harness.url, token, timing: defaultRemoteTiming })
  return { ana: client(tokens.RUNNER).schedules, ben: client(tokens.OTHER).schedules, root: client(tokens.ADMIN) }
}
const triage = (more: object = {}) => ({
  name: "triage",
  schedule: scheduleSchema.parse({ cron: never, prompt: "Sort it.", cwd: harness.cwd, ...more }),
  actor,
})
const tasks = async () => (await harness.client.list({})).items

it("adds a schedule over HTTP, whose tasks have the rights and the name of who added it, and deletes it", async () => {
  const { ana, root } = await open({ text: "Sorted." })
  expect(await ana.add(triage({ budgetUsd: 1 }))).toMatchObject({ name: "triage", origin: "added", by: "ana" })
  await eventually(async () => (await ana.list()).some(({ name }) => name === "triage"))
  await ana.change("triage", { change: "trigger", actor })
  await eventually(async () => (await tasks())[0]?.status === "completed")
  const [task] = await tasks()
  expect(task?.label).toMatch(/^triage\//)
  const { items } = await root.audit({ sessionId: task?.id ?? "" })
  expect(items.find(({ action }) => action === "start")).toMatchObject({
    by: "schedule:triage of ana",
    via: "schedule",
  })
  const run = await harness.store.runs.get(task?.run_id ?? "")
  const settings = await harness.store.snapshots.get(run?.snapshotHash ?? "")
  // The token may not approve, so that no task of the schedule runs without approvals.
  expect([settings?.approval, settings?.limits.budgetMicroUsd]).toEqual(["policy", 1_000_000])
  await ana.delete("triage", actor)
  await expect(ana.read("triage")).rejects.toMatchObject({ code: "schedule_not_found" })
  await expect(ana.delete("triage", actor)).rejects.toMatchObject({ code: "schedule_not_found" })
  expect((await root.audit({ sessionId: "schedule:triage" })).items.map(({ action }) => action)).toEqual([
    "schedule-delete",
    "schedule-trigger",
    "schedule-add",
  ])
})

it("pauses and resumes a schedule of the configuration, triggers it, and does not delete it", async () => {
  const { root } = await open({ text: "Nothing found." }, { schedules: { nightly: { cron: never, prompt: "Go." } } })
  await harness.client.schedules.ensure()
  expect(await root.schedules.change("nightly", { change: "pause", actor })).toMatchObject({
    state: "paused",
    note: "pause by root (http)",
  })
  expect(await root.schedules.change("nightly", { change: "resume", actor })).toMatchObject({ state: "active" })
  await root.schedules.change("nightly", { change: "trigger", actor })
  await eventually(async () => (await tasks())[0]?.status === "completed")
  await expect(root.schedules.delete("nightly", actor)).rejects.toThrow("is in the configuration")
  const { items } = await root.audit({ sessionId: "schedule:nightly" })
  expect(items.map(({ action, by }) => [action, by])).toEqual([
    ["schedule-trigger", "root"],
    ["schedule-resume", "root"],
    ["schedule-pause", "root"],
  ])
})

it("is changed by who added it and by a token with the scope admin, and by no other token", async () => {
  const { ana, ben, root } = await open({ text: "Sorted." }, { schedules: { nightly: { cron: never, prompt: "Go." } } })
  await harness.client.schedules.ensure()
  await ana.add(triage())
  const refused = { code: "forbidden", message: expect.stringContaining("requires a token with the scope admin") }
  for (const change of ["pause", "resume", "trigger"] as const) {
    await expect(ben.change("triage", { change, actor })).rejects.toMatchObject(refused)
    await expect(ana.change("nightly", { change, actor })).rejects.toMatchObject(refused)
  }
  await expect(ben.delete("triage", actor)).rejects.toMatchObject(refused)
  await expect(ben.delete("unknown", actor)).rejects.toMatchObject({ code: "schedule_not_found" })
  expect(await tasks()).toEqual([])
  expect(await ana.change("triage", { change: "pause", actor })).toMatchObject({ state: "paused" })
  expect(await root.schedules.change("triage", { change: "resume", actor })).toMatchObject({ state: "active" })
  await root.schedules.delete("triage", actor)
})

it("refuses a change of what only a new schedule can have", async () => {
  const { root } = await open({ text: "Sorted." })
  await root.schedules.add(triage())
  const change = (body: object) =>
    fetch(`${harness.url}/v1/schedules/triage`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${tokens.ADMIN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const refused = await change({ paused: true, cron: "0 6 * * *" })
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: expect.stringContaining("cron") }])
  expect((await change({})).status).toBe(400)
  expect((await root.schedules.read("triage")).state).toBe("active")
})

it("runs beside one of its name that another store has in the same Temporal", async () => {
  const schedules = { nightly: { cron: never, prompt: "Go." } }
  const { root } = await open({ text: "Done." }, { schedules })
  const other = await openHttpHarness({ model: createFakeTurns({ text: "Done." }), config: { schedules } })
  const both = [harness, other]
  const nightly = ({ temporal, store }: HttpHarness) =>
    temporal.schedule.getHandle(runScheduleId(taskQueueOf(store.storeId), "nightly"))
  onTestFinished(async () => {
    await nightly(other).delete()
    await other.close()
  })
  await Promise.all(both.map(({ client }) => client.schedules.ensure()))
  await Promise.all(both.map((each) => nightly(each).trigger(ScheduleOverlapPolicy.SKIP)))
  for (const { client } of both) await eventually(async () => (await client.list({})).items[0]?.status === "completed")
  expect((await root.schedules.read("nightly")).state).toBe("active")
})

it("is paused by a task that fails, if the schedule says so", async () => {
  const nightly = { cron: never, prompt: "Go.", pauseOnFailure: true }
  const { root } = await open({ text: "No.", stop: "refusal" }, { schedules: { nightly } })
  await harness.client.schedules.ensure()
  await scheduleOf("nightly").trigger(ScheduleOverlapPolicy.SKIP)
  await eventually(async () => (await tasks())[0]?.status === "failed")
  await eventually(async () => (await root.schedules.read("nightly")).state === "paused")
  expect((await root.schedules.read("nightly")).note).toContain("failure")
})

it("refuses a schedule whose tasks could not run, and a name that is taken", async () => {
  const { root } = await open({ text: "Sorted." })
  await expect(root.schedules.add(triage({ agent: "nobody" }))).rejects.toMatchObject({ code: "agent_not_found" })
  await expect(root.schedules.change("triage", { change: "pause", actor })).rejects.toMatchObject({
    code: "schedule_not_found",
  })
  await root.schedules.add(triage())
  await expect(root.schedules.add(triage())).rejects.toMatchObject({ code: "schedule_exists" })
})

it("has a schema that accepts the times that Temporal accepts, and refuses what it would refuse", async () => {
  const { ana } = await open({ text: "Sorted." })
  const engine = { temporal: harness.temporal, taskQueue: taskQueueOf(harness.store.storeId) }
  const prompt = "Sort it."
  const parsed = scheduleSchema.parse({ cron: never, prompt })
  const isAccepted = async (times: { cron?: string; timezone?: string }): Promise<boolean> => {
    const input = { name: "triage", added: { schedule: parsed, creator: actor } }
    try {
      return await addRunSchedule(engine, input, { ...parsed, ...times })
    } catch (error) {
      if (!(error instanceof AdjutantError) || error.code !== "invalid_argument") throw error
      return false
    } finally {
      await scheduleOf("triage")
        .delete()
        .catch(() => undefined)
    }
  }
  const values = [
    "*",
    "0",
    "7",
    "8",
    "12",
    "13",
    "24",
    "32",
    "60",
    "jan",
    "ja",
    "mo",
    "m",
    "1-3",
    "3-1",
    "1-3-4",
    "*/0",
  ]
  values.push("*/2", "5/3", "fri-sat", "oct-dec", "1,2", "1,", "0-7/2", "1/2/3", "*-3", "/2", "sunday", "sundays")
  for (const [at, value] of [0, 1, 2, 3, 4].flatMap((field) => values.map((text) => [field, text] as const))) {
    const cron = ["0", "0", "1", "1", "*"].with(at, value).join(" ")
    expect([cron, await isAccepted({ cron })]).toEqual([cron, scheduleSchema.safeParse({ cron, prompt }).success])
  }
  for (const timezone of ["UTC", "Asia/Kolkata", "GMT", "Etc/GMT+1", "+01:00", "europe/berlin", "Mars/Base"])
    expect([timezone, await isAccepted({ timezone })]).toEqual([
      timezone,
      scheduleSchema.safeParse({ cron: never, timezone, prompt }).success,
    ])
  await expect(ana.add({ ...triage(), schedule: { ...parsed, cron: "0 0 0 * *" } })).rejects.toMatchObject({
    code: "invalid_argument",
  })
})
