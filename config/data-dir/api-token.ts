import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { link, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { openToOthers } from "./prepare-data-dir.ts"

const tokenPattern = /^[\w-]{32,512}$/
const longestFile = 1_024

const unusable = (path: string, why: string, cause?: unknown): AdjutantError =>
  new AdjutantError(
    "data_dir_unusable",
    `the token file ${path} cannot be used: ${why}; remove it, and the next start creates a new token`,
    { cause },
  )

/** Returns the token of a file that only this user can read and write, undefined if there is no file. @throws AdjutantError `data_dir_unusable` */
const readToken = async (path: string): Promise<string | undefined> => {
  try {
    // O_NONBLOCK: opening a named pipe would otherwise wait for its other end.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { mode, uid, size, ...found } = await file.stat().then((stat) => ({
      mode: stat.mode,
      uid: stat.uid,
      size: stat.size,
      isFile: stat.isFile(),
    }))
    if (!found.isFile) throw unusable(path, "it is not a regular file")
    if (process.geteuid !== undefined && uid !== process.geteuid()) throw unusable(path, "it belongs to another user")
    if ((mode & openToOthers) !== 0) throw unusable(path, "other users can access it (its mode must be 0600)")
    const token = size > longestFile ? "" : (await file.readFile("utf8")).trim()
    if (!tokenPattern.test(token)) throw unusable(path, "it does not contain a token")
    return token
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    if (systemCode(error) === "ELOOP") throw unusable(path, "it is a link", error)
    throw error
  }
}

/** Creates the file with its whole content at once, unless it exists: processes that start together use the same token. */
const createToken = async (path: string): Promise<void> => {
  const draft = `${path}.${randomBytes(8).toString("hex")}`
  try {
    {
      await using file = await open(draft, "wx", 0o600)
      await file.writeFile(randomBytes(32).toString("base64url"))
      await file.sync()
    }
    await link(draft, path)
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Returns the token that the HTTP API of a data directory requires if none is configured, from its file `api-token`, which is created if necessary.
 * @throws AdjutantError `data_dir_unusable` if the file is a link, belongs to another user, is open to others, or contains no token
 */
export const localApiToken = async (dataDir: string): Promise<string> => {
  const path = join(dataDir, "api-token")
  const existing = await readToken(path)
  if (existing !== undefined) return existing
  await createToken(path)
  const created = await readToken(path)
  if (created === undefined) throw unusable(path, "it was removed while it was created")
  return created
}
