import { z } from "zod"
import { plainNameSchema } from "../names.ts"
import { scheduleSchema } from "../config/schedules.ts"
import { listOf } from "../session/session.ts"

const { catchUpMinutes, pauseOnFailure, budgetUsd, ...same } = scheduleSchema.shape

/** A schedule that is added while Adjutant runs: what the configuration has of others, by the names that HTTP uses. */
export const addScheduleBodySchema = z.strictObject({
  name: plainNameSchema.describe("Name of the schedule."),
  ...same,
  catch_up_minutes: catchUpMinutes,
  pause_on_failure: pauseOnFailure,
  budget_usd: budgetUsd,
})

export const scheduleViewSchema = z.object({
  name: z.string(),
  origin: z
    .enum(["configuration", "added", "removed"])
    .describe(
      "Where it is defined: in the configuration, by a request, or no longer in the configuration, so that it starts nothing.",
    ),
  state: z
    .enum(["active", "paused", "unmade"])
    .describe("`unmade`: no worker with this configuration has made it yet."),
  note: z.string().describe("Why it is paused."),
  cron: z.string(),
  timezone: z.string(),
  overlap: z.string(),
  /** The next times. */
  next: z.array(z.string()),
  /** The latest starts, the last one first. */
  started: z.array(z.string()),
  by: z.string().nullable().describe("Who added it."),
})
export type ScheduleView = z.infer<typeof scheduleViewSchema>

export const scheduleListSchema = listOf(scheduleViewSchema)
export const scheduleParamsSchema = z.strictObject({ name: plainNameSchema })
export const changeScheduleBodySchema = z.strictObject({ paused: z.boolean() })
