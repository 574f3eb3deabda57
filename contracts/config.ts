import { z } from "zod"

/** Placeholder until the whole schema of contracts.md section 1 stands. */
export const configSchema = z.strictObject({})
export type Config = z.infer<typeof configSchema>
