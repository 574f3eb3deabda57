import { maxNoteBytes, type ProjectNote, projectNoteNames } from "../../domain/prompts/compose-system-prompt.ts"
import { type NotesPlace, notesPlace, readInside } from "../notes/read-inside.ts"

const cutMark = "\n[cut after 32 KB]"

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
