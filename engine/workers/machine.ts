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
  /**
   * Returns what distinguishes a directory (a real path) from every directory of other machines: two machines with the same answer share it. Null where
   * the file system does not tell; undefined where the machine has no such directory.
   */
  identify(directory: string): Promise<string | null | undefined>
}

const variable = "ADJUTANT_MACHINE"
const isName = (name: string): boolean => /^[\w.-]{1,100}$/.test(name)

/** Machines with the same host name are distinguished where the system has an id, which must not be shown itself. */
const systemId = (): string => {
  try {
    const id = readFileSync("/etc/machine-id", "utf8").trim()
    return id === "" ? "" : `-${createHash("sha256").update(`adjutant ${id}`).digest("hex").slice(0, 8)}`
  } catch {
    return ""
  }
}

const defaultName = (): string =>
  `${
    hostname()
      .replaceAll(/[^\w.-]/g, "-")
      .slice(0, 80) || "machine"
  }${systemId()}`

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

/**
 * Returns this machine. Its name is `ADJUTANT_MACHINE`, or else the host name with a part of the system's id.
 * @throws AdjutantError `invalid_config` for a name that is not valid
 */
export const thisMachine = (env: Environment): Machine => {
  const name = env[variable] === undefined || env[variable] === "" ? defaultName() : env[variable]
  if (!isName(name))
    throw new AdjutantError(
      "invalid_config",
      `${variable} is not a valid name: use at most 100 letters, digits, dots, hyphens and underscores`,
    )
  return { name, identify }
}
