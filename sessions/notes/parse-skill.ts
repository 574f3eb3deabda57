import { z } from "zod"
import { parseYaml } from "../../domain/text/foreign/parse-yaml.ts"
import { type Skill, skillLimits, splitFrontmatter } from "../../domain/notes/skill.ts"
import { visible } from "../../domain/text/visible.ts"

const nameSchema = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)

/** Other keys, such as `allowed-tools`, have no effect. */
const frontmatterSchema = z.object({ name: nameSchema, description: z.string().trim().min(1) })

const cutDescription = (text: string): string => {
  const line = visible(text).replaceAll(/\s+/g, " ").trim()
  const { descriptionCharacters: max } = skillLimits
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`
}

/**
 * Returns the name and description in the frontmatter of a `SKILL.md`; undefined for a text that is none. Without `name`, the skill has the name of its
 * folder. Aliases are refused, and what nests too deeply for the parser.
 */
export const parseSkill = (text: string, folder: string): Omit<Skill, "path"> | undefined => {
  const yaml = splitFrontmatter(text)?.yaml
  if (yaml === undefined) return undefined
  try {
    const document = parseYaml(yaml, { schema: "core", merge: false })
    if (document.errors.length > 0) return undefined
    const value: unknown = document.toJS({ maxAliasCount: 0 })
    const parsed = frontmatterSchema.safeParse({ name: folder, ...(typeof value === "object" ? value : {}) })
    return parsed.success ? { name: parsed.data.name, description: cutDescription(parsed.data.description) } : undefined
  } catch {
    return undefined
  }
}
