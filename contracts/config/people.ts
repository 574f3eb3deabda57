import { z } from "zod"
import { plainNameSchema, profileNameSchema, toolPatternSchema } from "../names.ts"

const identity = z.string().min(1).max(200)

/** A profile's name, or the start of one followed by a single `*`. */
const profilePatternSchema = z.union([
  z.literal("*"),
  profileNameSchema,
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}\*$/, "must be the name of a profile, or the start of one with *"),
])

const maySchema = z.strictObject({
  approve: z
    .array(toolPatternSchema)
    .default(["*"])
    .describe("Tools about whose calls the person can decide, by name or by prefix as in `mcp__deploy__*`."),
  profiles: z
    .array(profilePatternSchema)
    .default(["*"])
    .describe("Profiles about whose calls the person can decide, by name or by prefix."),
})

/** A person, and by what they are recognized on each way. */
export const personSchema = z.strictObject({
  github: identity.optional().describe("Login name at GitHub, for comments that an inbound hook receives."),
  slack: identity.optional().describe("Id of the user in Slack, as in `U0123`, for buttons."),
  telegram: z.number().int().positive().optional().describe("Id of the user in Telegram, for buttons."),
  email: z.email().max(254).optional().describe("Address of the person."),
  token: plainNameSchema
    .optional()
    .describe("Name of the token in `http.tokens` that is the person's own, also for `--server`."),
  local: identity.optional().describe("Name of the user of this machine, for the command line."),
  may: maySchema
    .optional()
    .describe("About which calls the person can decide, whichever way they use. Without it: about all calls."),
})

/** Whose approval the calls of some tools need. */
export const approvalRuleSchema = z.strictObject({
  tools: z
    .array(toolPatternSchema)
    .min(1)
    .describe("Tools whose calls the rule covers, by name or by prefix as in `mcp__deploy__*`."),
  approvers: z.array(plainNameSchema).min(1).describe("The only people, by their names in `people`, who decide."),
  require: z
    .number()
    .int()
    .min(1)
    .max(10)
    .default(1)
    .describe("How many different people must approve the same call. One rejection ends it."),
  notOwn: z
    .boolean()
    .default(false)
    .describe("Whether people who gave the run its work, or a run above it, cannot approve its calls."),
})
export type ApprovalRuleConfig = z.infer<typeof approvalRuleSchema>
export type PersonConfig = z.infer<typeof personSchema>
