import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import type { OutcomeDocument } from "../../contracts/outcome-document.ts"

/** Returns the path `.adjutant/session/pause.json`: the document of the last pause, for scripts that did not keep stdout. */
export const pauseManifestPath = (cwd: string): string => path.join(cwd, ".adjutant", "session", "pause.json")

/** Writes the document. Only its owner can read it (0600, directories 0700), git ignores it, and a reader never sees a partial file. */
export const writePauseManifest = async (cwd: string, document: OutcomeDocument): Promise<void> => {
  const file = pauseManifestPath(cwd)
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(path.join(cwd, ".adjutant", ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }).catch(
    ignoring("EEXIST"),
  )
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify(document, null, 2)}\n`, { flag: "wx", mode: 0o600 })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

export const removePauseManifest = (cwd: string): Promise<void> =>
  rm(pauseManifestPath(cwd), { force: true }).catch(ignoring("ENOTDIR"))

/** Removes the manifest if it is that of this task. */
export const forgetPauseManifest = async (cwd: string, taskId: string): Promise<void> => {
  const text = await readFile(pauseManifestPath(cwd), "utf8").catch(() => "")
  if (text.includes(`"task_id": ${JSON.stringify(taskId)}`)) await removePauseManifest(cwd)
}

const ignoring =
  (code: string) =>
  (error: unknown): void => {
    if (!(error instanceof Error && "code" in error && error.code === code)) throw error
  }
