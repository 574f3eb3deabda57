import fc from "fast-check"
import type { SendRequest } from "../../../sessions/messages/send-request.ts"
import type { StartRequest } from "../../../sessions/start/start-request.ts"

export const toolLists = fc.subarray(["LS", "Read", "Write", "Edit", "Bash"], { minLength: 1 })
export const models = fc.constantFrom("strong", "main", "light")
export const limits: fc.Arbitrary<NonNullable<SendRequest["limits"]>> = fc.record(
  {
    tools: toolLists,
    model: models,
    maxSteps: fc.integer({ min: 2, max: 60 }),
    timeoutSeconds: fc.constantFrom(0, 600, 3_600),
    budgetTokens: fc.integer({ min: 30_000, max: 300_000 }),
    approval: fc.oneof(fc.constantFrom("policy" as const, "all" as const), toolLists),
  },
  { requiredKeys: [] },
)

/** Mostly accepted, where random limits are mostly rejected. */
export const lessLimits: typeof limits = fc.oneof(
  fc.constant({}),
  fc.constant({ tools: ["LS"] }),
  fc.constant({ model: "light" as const }),
  fc.constant({ approval: "policy" as const }),
  fc.record({ maxSteps: fc.integer({ min: 2, max: 6 }) }),
  fc.record({ budgetTokens: fc.integer({ min: 30_000, max: 60_000 }) }),
)

/** What a user starts a session with. */
export const startRequests: fc.Arbitrary<Partial<StartRequest>> = fc
  .record({ limits, agent: fc.constantFrom("general", "wide", "tasker"), pauseOnText: fc.boolean() })
  .map(({ limits: named, ...rest }) => ({ approval: "policy", ...named, ...rest }))
