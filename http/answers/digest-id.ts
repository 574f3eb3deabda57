import { createHash } from "node:crypto"

/** Returns `length` characters `[a-z0-9]` of the digest of a text. Equal texts have equal digests. */
export const digestId = (text: string, length: number): string => {
  const digest = createHash("sha256").update(text).digest("hex")
  return BigInt(`0x${digest}`).toString(36).padStart(length, "0").slice(-length)
}

/** Returns a message id derived from a text. Equal texts have equal ids. */
export const messageIdOf = (text: string): string => `msg_${digestId(text, 20)}`
