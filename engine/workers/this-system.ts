import { createHash } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"

const read = (): string | undefined => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    return createHash("sha256")
      .update(`${boot} ${readlinkSync("/proc/self/ns/pid")}`)
      .digest("hex")
      .slice(0, 8)
  } catch {
    return undefined
  }
}

let known: { readonly tag: string | undefined } | undefined

/**
 * Returns what tells the processes whose ids this one can look up from those of other machines and containers, which can have the same host name. It changes
 * when the machine is restarted. Undefined where the system does not tell.
 */
export const thisSystem = (): string | undefined => (known ??= { tag: read() }).tag
