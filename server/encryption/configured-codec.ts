import type { PayloadCodec } from "@temporalio/common"
import type { EncryptionKeys } from "../../contracts/config/encryption.ts"

/** Returns the codec of these keys, for clients and workers; undefined without keys. Loads nothing then. */
export const codecOf = async (keys: EncryptionKeys | undefined): Promise<PayloadCodec | undefined> =>
  keys === undefined ? undefined : (await import("./payload-codec.ts")).createPayloadCodec(keys)

/** Returns what a connection to Temporal converts data with. */
export const converterOf = (codec: PayloadCodec | undefined) =>
  codec === undefined ? {} : { dataConverter: { payloadCodecs: [codec] } }
