import { z } from "zod"

const rowSchema = z.object({
  message: z.object({
    role: z.literal("tool"),
    outcome: z.string(),
    executed: z.boolean().optional(),
  }),
})

/** Returns how many calls of an exported transcript did not run: refused, of an unknown tool, or with arguments that do not fit. */
export const wastedCalls = (jsonLines: string): number =>
  jsonLines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => rowSchema.safeParse(JSON.parse(line)).data?.message)
    .filter((message) => message?.outcome === "rejected" || message?.executed === false).length
