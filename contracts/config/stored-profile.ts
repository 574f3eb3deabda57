import { z } from "zod"
import { bridgeProfileSchema, llmProfileSchema } from "./agent-profile.ts"

/**
 * A profile that is created while Adjutant runs. Keys that run programs or name secrets are left out: only the configuration file can contain them
 * (docs/decisions/0021).
 */
export const storedProfileSchema = z.discriminatedUnion(
  "type",
  [llmProfileSchema.omit({ credentials: true }), bridgeProfileSchema],
  { error: "must be llm or mcp-bridge: only the configuration file can contain profiles that run programs" },
)
export type StoredProfile = z.infer<typeof storedProfileSchema>
