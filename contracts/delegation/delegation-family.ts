import { z } from "zod"

export const delegationSchema = z.enum(["task", "tasks", "sessions", "none"])

export type Delegation = z.infer<typeof delegationSchema>
