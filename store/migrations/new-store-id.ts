import { randomInt } from "node:crypto"

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

/** 8 characters `[a-z0-9]`. */
export const newStoreId = (): string =>
  Array.from({ length: 8 }, () => alphabet.charAt(randomInt(alphabet.length))).join("")
