import { z } from "zod"

/** Where a worker process kills itself: around call number `nth` (from 1) of a store method that matches. */
const crashPointSchema = z.strictObject({
  /** For example `claims.finish`. */
  method: z.string(),
  when: z.enum(["before", "after"]),
  nth: z.number().int().min(1).default(1),
  /** If given, only calls whose arguments, as JSON, contain this text count. */
  containing: z.string().default(""),
})
export type CrashPoint = z.infer<typeof crashPointSchema>
export type CrashPointInput = z.input<typeof crashPointSchema>

/** What a worker process receives on its command line, as JSON. */
const workerOrderSchema = z.strictObject({
  address: z.string(),
  dataDir: z.string(),
  shutdownGraceMs: z.number().int().nonnegative(),
  /** Default: `embedded`. */
  liveness: z.enum(["embedded", "cluster"]).optional(),
  crashAt: crashPointSchema.optional(),
})
export type WorkerOrder = z.input<typeof workerOrderSchema>

export const parseWorkerOrder = (json: string): z.infer<typeof workerOrderSchema> =>
  workerOrderSchema.parse(JSON.parse(json))
