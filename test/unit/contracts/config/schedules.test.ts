import { expect, it } from "vitest"
import { scheduleSchema } from "../../../../contracts/config/schedules.ts"

const messageFor = (more: object): string | undefined =>
  scheduleSchema
    .safeParse({ cron: "0 6 * * 1-5", prompt: "Go.", ...more })
    .error?.issues.map(({ message }) => message)
    .join("|")

it.each(["* * * * *", "*/5 0-23/2 1,15 JAN-mar mon-FRI", "5/10 0 31 12 7", "0 0 1 december sunday"])(
  "accepts the cron expression %s",
  (cron) => {
    expect(messageFor({ cron })).toBeUndefined()
  },
)

it.each([
  ["60 * * * *", '"60" as minute: write values from 0 to 59'],
  ["0 24 * * *", '"24" as hour'],
  ["0 0 0 * *", '"0" as day of the month: write values from 1 to 31'],
  ["0 0 1 0 *", '"0" as month'],
  ["0 0 1 mai *", '"mai" as month'],
  ["0 0 * * 8", '"8" as day of the week'],
  ["*/0 * * * *", '"*/0" as minute'],
  ["5-1 * * * *", '"5-1" as minute'],
  ["1,,2 * * * *", '"1,,2" as minute'],
  ["* * * *", "must have five fields"],
])("refuses the cron expression %s and says why", (cron, problem) => {
  expect(messageFor({ cron })).toContain(problem)
})

it.each([
  ["UTC", true],
  ["Europe/Berlin", true],
  ["Asia/Kolkata", true],
  ["europe/berlin", false],
  ["+01:00", false],
  ["Mars/Base", false],
])("takes the time zone %s: %s", (timezone, isTaken) => {
  expect(messageFor({ timezone }) === undefined).toBe(isTaken)
})
