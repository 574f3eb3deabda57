import { randomBytes } from "node:crypto"
import { digestOf } from "./access-tokens.ts"

const validMs = 15 * 60_000

/** One-time codes that the web page exchanges for the token. They are kept in memory, as digests. */
export interface PageCodes {
  /** Returns a new code, valid once and for 15 minutes. */
  issue(): string
  /** Uses up a code. Returns whether it was valid. */
  redeem(code: string): boolean
}

export const createPageCodes = (now: () => number): PageCodes => {
  const expiries = new Map<string, number>()
  return {
    issue: () => {
      const code = randomBytes(32).toString("base64url")
      expiries.set(digestOf(code).toString("hex"), now() + validMs)
      return code
    },
    redeem: (code) => {
      const digest = digestOf(code).toString("hex")
      const expiry = expiries.get(digest)
      expiries.delete(digest)
      return expiry !== undefined && now() < expiry
    },
  }
}
