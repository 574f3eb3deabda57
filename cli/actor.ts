import os from "node:os"
import type { Actor } from "../sessions/authority/actor.ts"

/** Returns the actor of the command line for the audit: the user of the system. */
export const commandLineActor = (): Actor => ({ by: userName(), via: "cli", kind: "person" })

const userName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}
