import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { realpath, stat } from "node:fs/promises"
import { hostname } from "node:os"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"

/** The machine of a process, and what it knows of its directories. */
export interface Machine {
  /** Part of the name of a task queue. */
  readonly name: string
  /** Every session of the store is at home here: the engine is embedded in the data directory. */
  readonly isOnly?: true
  /**
   * Returns what distinguishes a directory (a real path) from every directory of other machines: two machines with the same answer share it. Null where
   * the file system does not tell; undefined where the machine has no such directory.
   */
  identify(directory: string): Promise<string | null | undefined>
}

const variable = "ADJUTANT_MACHINE"
const isName = (name: string): boolean => /^[\w.-]{1,100}$/.test(name)

/** Returns a name made of the id of the system, which must not be shown itself; undefined if the system has none. */
const systemName = (): string | undefined => {
  try {
    const id = readFileSync("/etc/machine-id", "utf8").trim()
    return id === "" ? undefined : `machine-${createHash("sha256").update(`adjutant ${id}`).digest("hex").slice(0, 12)}`
  } catch {
    return undefined
  }
}

/** The host name can change, and is used only where the system has no id, as in most containers. */
const defaultName = (): string =>
  systemName() ??
  (hostname()
    .replaceAll(/[^\w.-]/g, "-")
    .slice(0, 80) ||
    "machine")

/** The inode and the moment of its creation, as every machine sees them that has the directory mounted. */
const identify = async (directory: string): Promise<string | null | undefined> => {
  try {
    if ((await realpath(directory)) !== directory) return undefined
    const found = await stat(directory, { bigint: true })
    if (!found.isDirectory()) return undefined
    return found.birthtimeNs > 0n ? `${found.ino}-${found.birthtimeNs}` : null
  } catch {
    return undefined
  }
}

/** With an embedded engine, the machine is the data directory, whatever the host is called on which it is. */
const embeddedMachine: Machine = { name: "data-directory", isOnly: true, identify }

/**
 * Returns this machine. With an engine of its own, its name is `ADJUTANT_MACHINE`, or else made of the system's id.
 * @throws AdjutantError `invalid_config` for a name that is not valid
 */
export const thisMachine = (env: Environment, { isEmbedded = false } = {}): Machine => {
  if (isEmbedded) return embeddedMachine
  const name = env[variable] === undefined || env[variable] === "" ? defaultName() : env[variable]
  if (!isName(name))
    throw new AdjutantError(
      "invalid_config",
      `${variable} is not a valid name: use at most 100 letters, digits, dots, hyphens and underscores`,
    )
  return { name, identify }
}
