import { expect, it } from "vitest"
import { examineSchedules, scheduleFindings } from "../../../../cli/doctor/examine-schedules.ts"
import { configSchema } from "../../../../contracts/config/config.ts"
import type { ScheduleView } from "../../../../contracts/schedules/schedules.ts"
import type { Session } from "../../../../contracts/session/session.ts"
import { session } from "../stub-environment.ts"

const schedule = (change: Partial<ScheduleView> = {}): ScheduleView => ({
  ...{ name: "nightly", origin: "configuration", state: "active", note: "", cron: "0 6 * * *", timezone: "UTC" },
  ...{ overlap: "skip", next: ["2026-11-22T06:00:00Z"], started: [], by: null },
  ...change,
})

const findings = (schedules: readonly ScheduleView[], tasks: readonly Session[] = []) =>
  scheduleFindings({
    schedules: { list: async () => schedules },
    list: async () => ({ items: [...tasks], next_cursor: null }),
  })

it("doctor says when the next task of a schedule starts, and nothing without a schedule", async () => {
  const later = schedule({ name: "later", next: ["2026-12-24T06:00:00Z"] })
  expect(await findings([later, schedule()])).toEqual([
    { name: "schedules", status: "ok", detail: "2 schedules, the next task starts at 2026-11-22T06:00:00Z" },
  ])
  expect(await findings([])).toEqual([])
})

it.each([
  [schedule({ state: "unmade" }), /^nightly is configured, but no worker has made it$/, /adjutant service logs/],
  [schedule({ origin: "removed" }), /^nightly is no longer in the configuration/, /adjutant schedule delete nightly/],
])("doctor warns of a schedule that starts nothing", async (found, detail, hint) => {
  const warning = { status: "warn", detail: expect.stringMatching(detail), hint: expect.stringMatching(hint) }
  expect(await findings([found])).toMatchObject([warning])
})

it("doctor warns of a schedule whose last task failed, and of no other task", async () => {
  const task = (id: string, status: Session["status"], label = "nightly/2026-11-21T06:00:00Z") =>
    session({ id, status, label })
  const failed = [task("other1", "failed", "not-nightly/x"), task("abc123", "failed"), task("old123", "completed")]
  expect(await findings([schedule({ state: "paused" })], failed)).toMatchObject([
    {
      status: "warn",
      detail: "the last task of nightly, abc123, failed; it is paused",
      hint: 'run "adjutant info abc123"',
    },
  ])
  expect(await findings([schedule()], [task("new123", "completed"), ...failed])).toMatchObject([{ status: "ok" }])
})

it("doctor warns of configured schedules where no service runs that starts their tasks", async () => {
  const loaded = (schedules: object) => ({ config: configSchema.parse({ schedules }), dataDir: "/nowhere" })
  const nightly = { nightly: { cron: "0 6 * * *", prompt: "Go." } }
  expect(await examineSchedules(loaded(nightly), {})).toMatchObject([
    { status: "warn", detail: "1 schedule configured, and no service runs that starts their tasks" },
  ])
  expect(await examineSchedules(loaded({}), {})).toEqual([])
  // Workers of other machines can use it.
  expect(await examineSchedules(loaded(nightly), { TEMPORAL_ADDRESS: "temporal.example:7233" })).toEqual([])
})
