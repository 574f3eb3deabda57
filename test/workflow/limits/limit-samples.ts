import fc from "fast-check"
import type { SendRequest } from "../../../sessions/send-request.ts"
import type { StartRequest } from "../../../sessions/start-request.ts"

export const toolLists = fc.subarray(["LS", "Read", "Write", "Edit", "Bash"], { minLength: 1 })
export const models = fc.constantFrom("strong", "main", "light")
export const limits: fc.Arbitrary<NonNullable<SendRequest["limits"]>> = fc.record(
  {
    allowed_tools: toolLists,
    model: models,
    max_steps: fc.integer({ min: 2, max: 60 }),
    timeout_seconds: fc.constantFrom(0, 600, 3_600),
    budget_tokens: fc.integer({ min: 30_000, max: 300_000 }),
    auto_approve: fc.oneof(fc.boolean(), toolLists),
  },
  { requiredKeys: [] },
)

/** Mostly accepted, where random limits are mostly rejected. */
export const lessLimits: typeof limits = fc.oneof(
  fc.constant({}),
  fc.constant({ allowed_tools: ["LS"] }),
  fc.constant({ model: "light" as const }),
  fc.constant({ auto_approve: false }),
  fc.record({ max_steps: fc.integer({ min: 2, max: 6 }) }),
  fc.record({ budget_tokens: fc.integer({ min: 30_000, max: 60_000 }) }),
)

/** What a user starts a session with. */
export const startRequests: fc.Arbitrary<Partial<StartRequest>> = fc
  .record({ limits, agent: fc.constantFrom("general", "wide", "tasker"), pause_on_approval: fc.boolean() })
  .map(({ limits: named, ...rest }) => ({ auto_approve: false, ...named, ...rest }))
