import { lstatSync, mkdirSync } from "node:fs"
import { createHash } from "node:crypto"
import os from "node:os"
import { join } from "node:path"
import { openToOthers } from "../config/data-dir/prepare-data-dir.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"

/** Paths of the files of one data directory's service. */
export interface ServiceFiles {
  readonly directory: string
  /** Locked by the service as long as its process runs. */
  readonly lock: string
  /** Locked by the command that starts a service. */
  readonly startLock: string
  /** Where the service can be reached; it exists only while the service answers. */
  readonly address: string
  /** When services were started that have not ended on purpose. */
  readonly starts: string
  /** It exists if a person has ended the last service: commands that wait do not start it again. */
  readonly stopped: string
  /** Changed when a command of a person at a terminal ends. */
  readonly seen: string
  /** The port that its HTTP API had last. */
  readonly port: string
  readonly log: string
}

/** Name of the folder in a data directory. */
export const serviceFolder = "service"

export const serviceFiles = (dataDir: string): ServiceFiles => {
  const directory = join(dataDir, serviceFolder)
  return {
    directory,
    lock: join(directory, "service.lock"),
    startLock: join(directory, "start.lock"),
    address: join(directory, "address.json"),
    starts: join(directory, "starts.json"),
    stopped: join(directory, "stopped.json"),
    seen: join(directory, "seen"),
    port: join(directory, "port.json"),
    log: join(dataDir, "service.log"),
  }
}

/** The kernel accepts 108 bytes on Linux and 104 on macOS, with the zero at the end. */
const longestSocketPath = 100

const unusable = (path: string, why: string): AdjutantError =>
  new AdjutantError("data_dir_unusable", `the folder ${path} for the socket cannot be used: ${why}; remove it`)

/** Makes a folder that only this user can enter, or accepts one. A link, or a folder of another user, is refused. */
const requireOwnFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory()) throw unusable(path, "it is not a folder")
  if (process.getuid !== undefined && found.uid !== process.getuid()) throw unusable(path, "it belongs to another user")
  if ((found.mode & openToOthers) !== 0) throw unusable(path, "other users can enter it")
}

/**
 * Returns where the socket of a data directory is: in the directory, or, if that path is too long for a socket, in a folder of this user in `XDG_RUNTIME_DIR`
 * or among the temporary files.
 */
export const socketPath = (
  dataDir: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string => {
  const own = join(serviceFiles(dataDir).directory, "socket")
  if (Buffer.byteLength(own) <= longestSocketPath) return own
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16)
  const user = process.getuid?.() ?? "user"
  const folders = [env["XDG_RUNTIME_DIR"], os.tmpdir(), "/tmp"].flatMap((folder) =>
    folder === undefined || folder === "" ? [] : [join(folder, `adjutant-${user}`)],
  )
  const folder = folders.find((each) => Buffer.byteLength(join(each, name)) <= longestSocketPath)
  if (folder === undefined)
    throw new AdjutantError(
      "data_dir_unusable",
      `the path of ${dataDir} is too long for a socket, and so is that of ${os.tmpdir()}: set TMPDIR to a shorter one`,
    )
  requireOwnFolder(folder)
  return join(folder, name)
}
