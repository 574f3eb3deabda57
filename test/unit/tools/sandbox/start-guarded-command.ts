import { identifyThisProcess } from "../../../../server/process/process-identity.ts"
import { createWorkspaceGuard } from "../../../../tools/protection/workspace-guard.ts"
import { guardSandbox } from "../../../../tools/sandbox/guard-sandbox.ts"
import { hasDied, machineOf } from "../../../../worker/worker-process.ts"
import { createConfined } from "./backends.ts"

/** A separate process that runs one guarded command and is killed meanwhile. `argv[3]` names the backend, `argv[4]` the data directory. */
const [, , command = "{}", backend = "bubblewrap", dataDir = ""] = process.argv
const guard = createWorkspaceGuard({
  dataDir: async () => dataDir,
  worker: { ...identifyThisProcess(), machine: machineOf() },
  hasDied,
})
const sandbox = guardSandbox(await createConfined(backend), guard, () => undefined)
await sandbox.run({ ...JSON.parse(command), signal: new AbortController().signal })
