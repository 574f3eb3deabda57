import { detectSandbox } from "../../../../tools/sandbox/detect-sandbox.ts"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import { testLimits } from "./command.ts"

/** A process of its own that runs one command, to be killed while it does. `argv[3]` `confined` puts it into a sandbox. */
const sandbox =
  process.argv[3] === "confined"
    ? await detectSandbox("require", { limits: testLimits })
    : createUnconfined("a test", testLimits)
await sandbox.run({ ...JSON.parse(process.argv[2] ?? "{}"), signal: new AbortController().signal })
