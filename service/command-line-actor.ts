import os from "node:os"
import type { Actor } from "../sessions/actor.ts"

/** Returns the actor of the command line for the audit: the user of the system. */
export const commandLineActor = (): Actor => {
  const by = userName()
  return { by, via: "cli", kind: "person", identity: { kind: "local", id: by } }
}

const userName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}
