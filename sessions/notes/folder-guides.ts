import { lstat, realpath } from "node:fs/promises"
import { basename, dirname, join, relative, resolve } from "node:path"
import type { FolderGuide } from "../../domain/notes/folder-guide.ts"
import { skillFolders } from "../../domain/notes/skill.ts"
import { directoriesBetween } from "../../domain/workspace/is-inside.ts"
import { type NotesPlace, notesPlace, readInside } from "./read-inside.ts"
import { skillsBelow } from "./find-skills.ts"

const noteName = "AGENTS.md"
const maxFolders = 4
const maxNoteBytes = 8 * 1024
const maxSkills = 10

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const hasGuide = async (folder: string): Promise<boolean> =>
  (await Promise.all([noteName, ...skillFolders].map((name) => exists(join(folder, name))))).includes(true)

/**
 * Returns the folders that contain a file and something for agents, relative to the working directory (a real path), outer ones first: at most the four
 * nearest to the file. The working directory itself is not one of them: its notes are in the system prompt.
 */
export const guidedFolders = async (cwd: string, path: string): Promise<readonly string[]> => {
  const real = await realpath(resolve(cwd, path)).catch(() => undefined)
  if (real === undefined) return []
  const folders = directoriesBetween(cwd, real)
  const guided = await Promise.all(folders.map(hasGuide))
  return folders
    .filter((_, index) => guided[index])
    .slice(-maxFolders)
    .map((folder) => relative(cwd, folder))
}

const noteOf = async (place: NotesPlace, folder: string): Promise<FolderGuide["note"]> => {
  const path = join(folder, noteName)
  const start = await readInside(place, path, maxNoteBytes)
  if (start === undefined || start.text.trim() === "") return null
  return { path, text: start.isCut ? `${start.text}\n[cut after 8 KB; the rest is in the file]` : start.text }
}

/** Reads what a folder contains for agents. The note is omitted if it is the file of the call itself. */
const readGuide = async (place: NotesPlace, folder: string, path: string): Promise<FolderGuide> => ({
  folder,
  note:
    basename(path) === noteName && relative(place.cwd, dirname(resolve(place.cwd, path))) === folder
      ? null
      : await noteOf(place, folder),
  skills: (await skillsBelow(place, folder)).slice(0, maxSkills),
})

/** Reads what folders contain for agents; a folder from which nothing can be read is omitted. `path` is the file of the call. */
export const readFolderGuides = async (
  folders: readonly string[],
  { cwd, dataDir, path }: { readonly cwd: string; readonly dataDir: string; readonly path: string },
): Promise<readonly FolderGuide[]> => {
  if (folders.length === 0) return []
  const place = await notesPlace(cwd, dataDir)
  const guides = await Promise.all(folders.map((folder) => readGuide(place, folder, path)))
  return guides.filter(({ note, skills }) => note !== null || skills.length > 0)
}
