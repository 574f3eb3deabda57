import { builtInTools } from "./built-in-tools.ts"
import { skill } from "./skill.ts"
import type { Tool } from "./tool.ts"

/** The tools of this program: those of every run, and the one that only runs with skills have. */
export const ownTools: readonly Tool[] = [...builtInTools, skill]
