import { z } from "zod"
import { keyCommandSchema } from "./config-models.ts"
import { envNameSchema, httpUrlSchema, plainNameSchema } from "../names.ts"

const keySource = {
  keyEnv: envNameSchema
    .optional()
    .describe("Environment variable that contains the key: 32 bytes, as base64 or as 64 hexadecimal digits."),
  keyCommand: keyCommandSchema
    .optional()
    .describe("Program that prints the key in the same form, instead of `keyEnv`."),
}

const hasOneSource = ({ keyEnv, keyCommand }: { readonly keyEnv?: unknown; readonly keyCommand?: unknown }): boolean =>
  (keyEnv === undefined) !== (keyCommand === undefined)

const oldKeySchema = z
  .strictObject({ keyId: plainNameSchema.describe("The name that the key had."), ...keySource })
  .refine(hasOneSource, { error: "requires keyEnv or keyCommand, and not both" })

/** How payloads in Temporal are encrypted. */
export const encryptionSchema = z
  .strictObject({
    keyId: plainNameSchema
      .optional()
      .describe(
        "Name of the key, which each payload carries. Without it, nothing is encrypted, and `oldKeys` can still read.",
      ),
    ...keySource,
    oldKeys: z.array(oldKeySchema).max(100).default([]).describe("Keys that are only read with, after a rotation."),
    codecTokenEnv: envNameSchema
      .optional()
      .describe(
        "Environment variable with the token of the codec endpoint for the Temporal UI. Without it, there is none.",
      ),
    uiOrigins: z
      .array(httpUrlSchema)
      .max(100)
      .default([])
      .describe(
        "Origins of the Temporal UI whose pages may ask the codec endpoint, such as `https://temporal.example.com`.",
      ),
  })
  .refine((settings) => settings.keyId === undefined || hasOneSource(settings), {
    error: "requires keyEnv or keyCommand, and not both, with keyId",
  })
  .refine((settings) => settings.keyId !== undefined || (settings.keyEnv ?? settings.keyCommand) === undefined, {
    error: "requires keyId with keyEnv or keyCommand",
  })
  .refine(({ keyId, oldKeys }) => new Set([keyId, ...oldKeys.map((old) => old.keyId)]).size === oldKeys.length + 1, {
    error: "names a key twice: every keyId must be different",
  })
export type Encryption = z.infer<typeof encryptionSchema>

/** The keys of a process, by name. */
export interface EncryptionKeys {
  /** The one that encrypts; undefined if nothing is encrypted. */
  readonly current: string | undefined
  readonly keys: ReadonlyMap<string, Uint8Array>
}
