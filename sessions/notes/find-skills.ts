import { opendir } from "node:fs/promises"
import { join } from "node:path"
import { type Skill, skillFile, skillFolders, skillLimits } from "../../domain/notes/skill.ts"
import { type NotesPlace, notesPlace, readInside, realInside } from "./read-inside.ts"
import { parseSkill } from "./parse-skill.ts"

const maxEntries = 1_000

/** Returns the names of a folder's entries, sorted; of a huge folder, of its first entries. */
const entriesOf = async (place: NotesPlace, folder: string): Promise<readonly string[]> => {
  const real = await realInside(place, folder)
  if (real === undefined) return []
  const names: string[] = []
  try {
    for await (const { name } of await opendir(real)) {
      names.push(name)
      if (names.length === maxEntries) break
    }
  } catch {
    return []
  }
  return names.toSorted()
}

/** Returns the skill in a file; null for a file that contains none, and undefined if there is no file. */
const readSkill = async (place: NotesPlace, folder: string, name: string): Promise<Skill | null | undefined> => {
  const path = join(folder, name, skillFile)
  const start = await readInside(place, path, skillLimits.frontmatterBytes)
  if (start === undefined) return undefined
  const parsed = parseSkill(start.text, name)
  return parsed === undefined ? null : { ...parsed, path }
}

/** Returns the skills of one folder of the working directory. Of two with one name, the first is returned. */
export const skillsBelow = async (place: NotesPlace, folder: string): Promise<readonly Skill[]> => {
  const found = new Map<string, Skill>()
  let files = 0
  for (const skills of skillFolders.map((each) => join(folder, each)))
    for (const name of await entriesOf(place, skills)) {
      if (found.size === skillLimits.skills || files === skillLimits.files) break
      const skill = await readSkill(place, skills, name)
      if (skill !== undefined) files += 1
      if (skill && !found.has(skill.name)) found.set(skill.name, skill)
    }
  return [...found.values()]
}

/** Returns the skills in `.agents/skills` and `.claude/skills` of a working directory (a real path). */
export const findSkills = async (cwd: string, dataDir: string): Promise<readonly Skill[]> =>
  skillsBelow(await notesPlace(cwd, dataDir), "")
