import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import type { z } from "zod"

/** A schema that clients see and that lets everything pass: the tools check their arguments themselves, and answer with their own errors. */
export const advertisedSchema = (schema: z.ZodType): StandardSchemaWithJSON<unknown, unknown> => ({
  "~standard": {
    version: 1,
    vendor: "adjutant",
    validate: (value) => ({ value }),
    jsonSchema: schema["~standard"].jsonSchema,
  },
})
