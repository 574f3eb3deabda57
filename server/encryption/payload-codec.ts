import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from "@temporalio/common"
import type { EncryptionKeys } from "../../contracts/config/encryption.ts"

const cipher = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16
const encrypted = "binary/encrypted"
const keyIdField = "encryption-key-id"

const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString()

/** A payload as bytes: the length of its metadata, its metadata, its data. */
const pack = ({ metadata, data }: Payload): Buffer => {
  const fields = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString("base64")])
  const head = Buffer.from(JSON.stringify(Object.fromEntries(fields)))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, Buffer.from(data ?? [])])
}

const unpack = (bytes: Buffer): Payload => {
  const end = 4 + bytes.readUInt32BE(0)
  const fields: Readonly<Record<string, string>> = JSON.parse(bytes.subarray(4, end).toString())
  const metadata = Object.entries(fields).map(([name, value]) => [name, new Uint8Array(Buffer.from(value, "base64"))])
  return { metadata: Object.fromEntries(metadata), data: new Uint8Array(bytes.subarray(end)) }
}

const encode = (payload: Payload, keyId: string, key: Uint8Array): Payload => {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(keyId))
  const sealed = Buffer.concat([sealing.update(pack(payload)), sealing.final()])
  return {
    metadata: { [METADATA_ENCODING_KEY]: Buffer.from(encrypted), [keyIdField]: Buffer.from(keyId) },
    data: Buffer.concat([nonce, sealing.getAuthTag(), sealed]),
  }
}

const decode = ({ metadata, data }: Payload, keys: EncryptionKeys["keys"]): Payload => {
  const keyId = text(metadata?.[keyIdField])
  const key = keys.get(keyId)
  if (key === undefined)
    throw new Error(`a payload in Temporal is encrypted with the key ${keyId}: add it to encryption.oldKeys`)
  const bytes = Buffer.from(data ?? [])
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(keyId))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return unpack(Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]))
}

/**
 * Returns what encrypts payloads by AES-256-GCM with the current key, and decrypts those of every key. A payload that is not encrypted is returned as it
 * is: it was written before encryption was configured.
 */
export const createPayloadCodec = ({ current, keys }: EncryptionKeys): PayloadCodec => {
  const key = current === undefined ? undefined : keys.get(current)
  return {
    encode: async (payloads) =>
      current === undefined || key === undefined ? payloads : payloads.map((payload) => encode(payload, current, key)),
    decode: async (payloads) =>
      payloads.map((payload) =>
        text(payload.metadata?.[METADATA_ENCODING_KEY]) === encrypted ? decode(payload, keys) : payload,
      ),
  }
}
