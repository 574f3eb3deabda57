import { randomBytes } from "node:crypto"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { hasFields, isText } from "../process/has-fields.ts"
import { identifyThisProcess, identityChecks, isAlive, type ProcessIdentity } from "../process/process-identity.ts"
import { readWhole, writeWhole } from "../process/server-files.ts"

/** One use of the server by one process. It counts only while that process is running. */
export interface UserLease extends ProcessIdentity {
  /** ISO 8601. */
  readonly since: string
  /** The user's purpose: "dev", "run". */
  readonly purpose: string
}

/** Writes a lease of this process; returns a function that removes it. */
export const takeLease = (usersDirectory: string, purpose: string): (() => void) => {
  const path = join(usersDirectory, `${process.pid}-${randomBytes(6).toString("hex")}`)
  const lease: UserLease = { ...identifyThisProcess(), since: new Date().toISOString(), purpose }
  writeWhole(path, lease)
  return () => rmSync(path, { force: true })
}

/** Returns the leases of running processes. */
export const liveLeases = (usersDirectory: string): readonly UserLease[] =>
  leaseFiles(usersDirectory).flatMap((name) => {
    const lease = readWhole(join(usersDirectory, name), isUserLease)
    return lease !== undefined && isAlive(lease) ? [lease] : []
  })

/** Removes the leases of dead processes. */
export const sweepLeases = (usersDirectory: string): void => {
  for (const name of leaseFiles(usersDirectory)) {
    const lease = readWhole(join(usersDirectory, name), isUserLease)
    if (lease !== undefined && !isAlive(lease)) rmSync(join(usersDirectory, name), { force: true })
  }
}

const leaseFiles = (usersDirectory: string): readonly string[] => {
  try {
    return readdirSync(usersDirectory).filter((name) => /^\d+-[0-9a-f]+$/.test(name))
  } catch {
    return []
  }
}

const isUserLease = hasFields<UserLease>({ ...identityChecks, since: isText, purpose: isText })
