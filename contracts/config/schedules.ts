import { z } from "zod"
import { profileNameSchema } from "../names.ts"
import { saidSchema } from "../text-schemas.ts"
import { cronProblem } from "./cron.ts"
import { notifyOnSchema } from "./notify.ts"

/**
 * Returns whether Temporal probably knows a time zone by this name: it takes no offsets, as +01:00, and compares the case of letters. Of an alias, as
 * Asia/Kolkata, the case is not compared here; Temporal refuses a wrong one.
 */
const isTimeZone = (name: string): boolean => {
  try {
    const known = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone
    return /^[A-Z]/.test(name) && (known === name || known.toLowerCase() !== name.toLowerCase())
  } catch {
    return false
  }
}

/** A task that starts by itself. */
export const scheduleSchema = z.strictObject({
  cron: z
    .string()
    .regex(/^[A-Za-z0-9*/,-]+( [A-Za-z0-9*/,-]+){4}$/, {
      error: "must have five fields: minute, hour, day, month, day of week",
      abort: true,
    })
    .superRefine((cron, context) => {
      const message = cronProblem(cron)
      if (message !== undefined) context.addIssue({ code: "custom", message })
    })
    .describe("When it starts, as in `0 6 * * 1-5`: minute, hour, day of the month, month, day of the week."),
  timezone: z
    .string()
    .refine(isTimeZone, "must be the name of a time zone, as Europe/Berlin")
    .default("UTC")
    .describe("Time zone of `cron`."),
  prompt: saidSchema.max(100_000).describe("The instruction of each task."),
  agent: profileNameSchema.optional().describe("Profile of the tasks. Without it: `general`."),
  cwd: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe("Working directory of the tasks, relative to the project root. Without it: the project root."),
  overlap: z
    .enum(["skip", "queue", "cancel-running"])
    .default("skip")
    .describe(
      "What happens if the task before has not ended: `skip` starts none, `queue` starts one after it, `cancel-running` cancels it.",
    ),
  catchUpMinutes: z
    .number()
    .int()
    .min(1)
    .max(525_600)
    .default(1_440)
    .describe("How late a task can start that was due while nothing ran, such as a laptop at night."),
  pauseOnFailure: z
    .boolean()
    .default(false)
    .describe("Whether a task that fails pauses the schedule, so that it starts no more until a person resumes it."),
  budgetUsd: z.number().positive().max(1_000_000).optional().describe("Budget of each task in US dollars."),
  notify: notifyOnSchema.partial().optional().describe("Destinations for these tasks, instead of those of `notifyOn`."),
})
export type ScheduleConfig = z.infer<typeof scheduleSchema>
