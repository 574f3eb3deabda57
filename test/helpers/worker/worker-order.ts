import { z } from "zod"

/** Where a worker process kills itself: around the `nth` call (from 1) of a store method that fits. */
const deathSchema = z.strictObject({
  /** As in `claims.finish`. */
  method: z.string(),
  when: z.enum(["before", "after"]),
  nth: z.number().int().min(1).default(1),
  /** Only calls whose arguments, as JSON, contain this text count. */
  containing: z.string().default(""),
})
export type Death = z.infer<typeof deathSchema>
export type DeathInput = z.input<typeof deathSchema>

/** What a worker process is told on its command line, as JSON. */
const workerOrderSchema = z.strictObject({
  address: z.string(),
  dataDir: z.string(),
  shutdownGraceMs: z.number().int().nonnegative(),
  dieAt: deathSchema.optional(),
})
export type WorkerOrder = z.input<typeof workerOrderSchema>

export const parseWorkerOrder = (json: string): z.infer<typeof workerOrderSchema> =>
  workerOrderSchema.parse(JSON.parse(json))
