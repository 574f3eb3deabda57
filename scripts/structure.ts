import path from "node:path"
import { measureStructure } from "./structure/measure-structure.ts"
import { structureReport } from "./structure/structure-report.ts"

// Prints what the structure's rules measure; `test/unit/tooling/structure.test.ts` holds them.
process.stdout.write(structureReport(measureStructure(path.resolve(import.meta.dirname, ".."))))
