import { relative } from "node:path"
import type { Authority } from "../../domain/caller/authority.ts"
import { maxNoteBytes, type ProjectNote, projectNoteNames } from "../../domain/prompts/compose-system-prompt.ts"
import { realDirectories } from "../authority/real-directories.ts"
import { gitFolders } from "../notes/git-folders.ts"
import { type NotesPlace, notesPlace, readInside } from "../notes/read-inside.ts"

const cutMark = "\n[cut after 32 KB]"

const [agentsNote, toolsNote] = projectNoteNames
/** What is read where there is no `AGENTS.md`. */
const otherNote = "CLAUDE.md"

/** Reads a note. One that `readInside` refuses is omitted. */
const readNote = async (place: NotesPlace, name: string): Promise<readonly ProjectNote[]> => {
  const start = await readInside(place, name, maxNoteBytes)
  return start === undefined ? [] : [{ name, text: start.isCut ? start.text + cutMark : start.text }]
}

/** Reads `AGENTS.md` and `TOOLS.md` of a working directory (a real path), at most 32 KB of each. */
export const readProjectNotes = async (cwd: string, dataDir: string): Promise<readonly ProjectNote[]> => {
  const place = await notesPlace(cwd, dataDir)
  return (await Promise.all(projectNoteNames.map((name) => readNote(place, name)))).flat()
}

/** Reads the note of a folder: `AGENTS.md`, or `CLAUDE.md` where there is none. */
const folderNote = async (folder: string, cwd: string, dataDir: string): Promise<readonly ProjectNote[]> => {
  const place = await notesPlace(folder, dataDir)
  const own = await readNote(place, agentsNote)
  const notes = own.length > 0 ? own : await readNote(place, otherNote)
  const path = relative(cwd, folder)
  return notes.map(({ name, text }) => ({ name: path === "" ? name : `${path}/${name}`, text }))
}

/**
 * Reads the notes for an agent that no other one started: those of every folder from the root of the git repository down to the working directory (a real
 * path), as far as the caller may use the folder, and `TOOLS.md`. Their names are relative to the working directory.
 */
export const readRootNotes = async (
  cwd: string,
  { directories, dataDir }: Pick<Authority, "directories"> & { readonly dataDir: string },
): Promise<readonly ProjectNote[]> => {
  const folders = await gitFolders(cwd, directories === "any" ? "any" : await realDirectories(directories))
  const notes = await Promise.all(folders.map((folder) => folderNote(folder, cwd, dataDir)))
  return [...notes.flat(), ...(await readNote(await notesPlace(cwd, dataDir), toolsNote))]
}
