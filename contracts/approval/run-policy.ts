import { z } from "zod"

/** Which calls of a run need no decision: none beyond policy, those of some tools, or all. */
export const runApprovalSchema = z.union([z.literal("policy"), z.literal("all"), z.array(z.string())])
