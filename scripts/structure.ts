import { writeFileSync } from "node:fs"
import path from "node:path"
import { runCommand } from "./checks/run-command.ts"
import { deviationsOf, type Deviations } from "./structure/deviations.ts"
import { longFunctions } from "./structure/long-functions.ts"
import { measureStructure } from "./structure/measure-structure.ts"
import { structureReport } from "./structure/structure-report.ts"

const root = path.resolve(import.meta.dirname, "..")
const exceptionsFile = path.join(root, "scripts/structure/exceptions.ts")

const exceptionsText = (deviations: Deviations): string => `import type { Deviations } from "./deviations.ts"

/** What breaks a rule of the structure and may do so for now. The lists only shrink: a test reports each entry that is no longer needed. */
export const exceptions: Deviations = ${JSON.stringify(deviations, null, 2)}
`

// Prints what the structure's rules measure. With `--write-exceptions`, what breaks a rule now becomes the list of exceptions.
const measures = measureStructure(root)
const long = longFunctions(root, measures.files)
process.stdout.write(structureReport(measures, long))
if (process.argv.includes("--write-exceptions")) {
  writeFileSync(exceptionsFile, exceptionsText(deviationsOf(measures, long)))
  process.exitCode = await runCommand(["oxfmt", exceptionsFile])
}
