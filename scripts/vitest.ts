// Runs vitest with these arguments, its temporary files in memory where that is possible: `npm run test:workflow -- <path>`.
import { runInMemory } from "./checks/memory-folder.ts"

process.exitCode = await runInMemory(["vitest", "run", ...process.argv.slice(2)])
