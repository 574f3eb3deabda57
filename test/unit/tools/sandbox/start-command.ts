import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import { createConfined } from "./backends.ts"
import { testLimits } from "./command.ts"

/** A process of its own that runs one command, to be killed while it does. `argv[3]` names the backend that confines it. */
const sandbox =
  process.argv[3] === undefined ? createUnconfined("a test", testLimits) : await createConfined(process.argv[3])
await sandbox.run({ ...JSON.parse(process.argv[2] ?? "{}"), signal: new AbortController().signal })
