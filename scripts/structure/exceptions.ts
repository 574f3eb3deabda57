import type { Deviations } from "./deviations.ts"

/** What breaks a rule of the structure and may do so for now. The lists only shrink: a test reports each entry that is no longer needed. */
export const exceptions: Deviations = {
  filesInCircles: [],
  crowdedFolders: [],
  tinyFiles: [],
  repeatedDeclarations: [],
  longFunctionFiles: [],
}
