import { execFile } from "node:child_process"
import { chmod, lstat, readdir, rename, rm } from "node:fs/promises"
import path from "node:path"
import { systemCode } from "../../domain/text/error-message.ts"
import { wrongUsage } from "../program/wrong-usage.ts"

const tar = (what: string, ...args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile("tar", args, { maxBuffer: 1024 * 1024 }, (error, _, stderr) => {
      if (error === null) return resolve()
      const why = systemCode(error) === "ENOENT" ? "the program tar is not installed" : stderr.trim().split("\n")[0]
      reject(wrongUsage(`${what}: ${why === undefined || why === "" ? error.message : why}`))
    })
  })

/** Writes the files of a folder into one compressed file, for its owner alone. A reader never sees a part of it. */
export const pack = async (folder: string, file: string): Promise<void> => {
  const draft = `${file}.partial`
  try {
    await tar(`${file} cannot be written`, "-czf", draft, "-C", folder, ".")
    await chmod(draft, 0o600)
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Refuses links and devices, of which a backup has none. */
const requirePlain = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const entry = path.join(folder, name)
    const found = await lstat(entry)
    if (found.isDirectory()) await requirePlain(entry)
    else if (!found.isFile()) throw wrongUsage(`the backup contains ${name}, which is neither a file nor a folder`)
  }
}

/** Unpacks such a file into an empty folder. */
export const unpack = async (file: string, folder: string): Promise<void> => {
  await tar(`${file} cannot be read`, "-xzf", file, "--no-same-owner", "-C", folder)
  await requirePlain(folder)
}
