import { chmod, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

const fileMode = 0o600
const folderMode = 0o700

/**
 * Makes the folder (mode 0700, where it is missing) and an empty file (mode 0600, also where it was wider): SQLite gives the mode of
 * the main file to those beside it. Rejects with `data_dir_unusable`.
 */
export const prepareDataFile = async (path: string): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: folderMode })
    const file = await open(path, "a", fileMode)
    try {
      const { mode } = await file.stat()
      if ((mode & 0o077) !== 0) await chmod(path, fileMode)
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw new AdjutantError("data_dir_unusable", sentence(path, cause), { cause })
  }
}

const sentence = (path: string, cause: unknown): string => {
  const reason = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
  return `The session store cannot be kept at ${path}${reason}: make its folder writable or choose another with --data-dir.`
}
