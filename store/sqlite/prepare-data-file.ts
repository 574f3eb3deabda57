import { chmod, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { requireLocalDisk } from "./require-local-disk.ts"

const fileMode = 0o600
const folderMode = 0o700

/**
 * Creates a missing folder (mode 0700) and a missing file (mode 0600, to which a wider mode is also reduced). SQLite creates its other files with the
 * mode of the main file. Rejects with `data_dir_unusable`.
 */
export const prepareDataFile = async (path: string): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: folderMode })
    await requireLocalDisk(path)
    const file = await open(path, "a", fileMode)
    try {
      const { mode } = await file.stat()
      if ((mode & 0o077) !== 0) await chmod(path, fileMode)
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (cause instanceof AdjutantError) throw cause
    throw new AdjutantError("data_dir_unusable", problemText(path, cause), { cause })
  }
}

const problemText = (path: string, cause: unknown): string => {
  const reason = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
  return `the session store cannot be stored at ${path}${reason}: make its folder writable or choose another with --data-dir`
}
