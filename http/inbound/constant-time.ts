import { createHmac, timingSafeEqual } from "node:crypto"

/** Checks in constant time whether a hex signature is the HMAC-SHA256 of the content. */
export const isHmacOf = (signature: string, secret: string, content: Buffer | string): boolean => {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  return timingSafeEqual(Buffer.from(signature, "hex"), createHmac("sha256", secret).update(content).digest())
}
