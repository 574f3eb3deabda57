import { z } from "zod"

/** Which calls of a run need no decision: none beyond policy, those of some tools, or all. */
export const runApprovalSchema = z.union([z.literal("policy"), z.literal("all"), z.array(z.string())])

export const policyModeSchema = z.enum(["auto", "prompt", "never"])
export type PolicyMode = z.infer<typeof policyModeSchema>

export const policySchema = z.record(z.string(), policyModeSchema)
export type PolicyRules = z.infer<typeof policySchema>

export const sandboxModeSchema = z.enum(["auto", "require", "off"])
export type SandboxMode = z.infer<typeof sandboxModeSchema>
