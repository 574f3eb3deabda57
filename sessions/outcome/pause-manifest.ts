import { randomUUID } from "node:crypto"
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { ignoreIfPresent, systemCode } from "../../domain/text/error-message.ts"
import type { WritableStore } from "../../store/store.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"

/** Returns the path `.adjutant/session/pause.json`: the document of the last pause, for scripts that did not keep stdout. */
export const pauseManifestPath = (cwd: string): string => path.join(cwd, dataDirName, "session", "pause.json")

/** Rejects if a link leads from a folder of the manifest to another place, where nothing is written or removed. */
const requireNoLink = async (cwd: string, folder: string): Promise<void> => {
  const own = path.join(await realpath(cwd), path.relative(cwd, folder))
  if ((await realpath(folder)) !== own) throw new Error(`${folder} leads to another place through a link`)
}

/** Makes a folder below the working directory, for its owner alone. */
const makeOwnFolder = async (cwd: string, folder: string): Promise<void> => {
  await mkdir(folder, { mode: 0o700 }).catch(ignoreIfPresent)
  await requireNoLink(cwd, folder)
}

/** Writes the document. Only its owner can read it (0600, directories 0700), git ignores it, and a reader never sees a partial file. */
export const writePauseManifest = async (cwd: string, document: OutcomeDocument): Promise<void> => {
  const file = pauseManifestPath(cwd)
  const own = path.join(cwd, dataDirName)
  await makeOwnFolder(cwd, own)
  await makeOwnFolder(cwd, path.dirname(file))
  await writeFile(path.join(own, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }).catch(ignoreIfPresent)
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify(document, null, 2)}\n`, { flag: "wx", mode: 0o600 })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

const removePauseManifest = async (cwd: string): Promise<void> => {
  const file = pauseManifestPath(cwd)
  try {
    await requireNoLink(cwd, path.dirname(file))
    await rm(file, { force: true })
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error
  }
}

/** Removes the manifest if it names this task, or this checkpoint. That of another task stays. */
export const forgetPauseManifest = async (cwd: string, id: string): Promise<void> => {
  const text = await readFile(pauseManifestPath(cwd), "utf8").catch(() => "")
  if (text.includes(`_id": ${JSON.stringify(id)}`)) await removePauseManifest(cwd)
}

/** Removes the manifest of a pause that has ended, if it is here. It is a copy for scripts: nothing waits for its removal, or fails because of it. */
export const dropManifestOf = async (
  store: Pick<WritableStore, "sessions">,
  sessionId: string,
  checkpointId: string,
): Promise<void> => {
  const cwd = (await store.sessions.get(sessionId))?.cwd
  if (cwd !== undefined) void forgetPauseManifest(cwd, checkpointId).catch(() => undefined)
}
