import { expect, it } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { scheduleSchema } from "../../../../contracts/config/schedules.ts"
import type { ErrorCode } from "../../../../contracts/error-code.ts"
import { ensureSchedules } from "../../../../sessions/schedules/schedules.ts"
import type { SessionsContext } from "../../../../sessions/sessions-context.ts"

/** Makes the schedule `nightly` where the settings of its tasks fail with this code. */
const ensureWith = (code: ErrorCode) => {
  const schedules = { nightly: scheduleSchema.parse({ cron: "0 6 * * *", prompt: "Go." }) }
  const resolveRun = async () => Promise.reject(new AdjutantError(code, "it failed"))
  const context = { loaded: { projectRoot: "/", config: { schedules } }, env: {}, resolveRun }
  return ensureSchedules(context as unknown as SessionsContext)
}

it("names a schedule whose settings are refused", async () => {
  expect(await ensureWith("agent_not_found")).toEqual([{ name: "nightly", reason: "it failed" }])
})

it.each(["storage_failed", "temporal_unavailable", "engine_mismatch"] as const)(
  "does not take %s for a refusal of the schedule",
  async (code) => {
    await expect(ensureWith(code)).rejects.toMatchObject({ code })
  },
)
