import path from "node:path"
import { measureStructure } from "./structure/measure-structure.ts"
import { structureReport } from "./structure/structure-report.ts"

// Prints the measures of the structure's rules; `test/unit/tooling/structure.test.ts` enforces the rules.
process.stdout.write(structureReport(measureStructure(path.resolve(import.meta.dirname, ".."))))
