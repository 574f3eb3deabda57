import type { Sandbox } from "../../../../tools/sandbox/sandbox.ts"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import { createConfined, createRuntime } from "./backends.ts"
import { testLimits } from "./command.ts"

/**
 * A separate process that runs one command and is killed meanwhile. `argv[3]` names the backend that confines
 * it, and `argv[4]` hosts for the runtime.
 */
const [, , command = "{}", backend, host] = process.argv
const create = async (): Promise<Sandbox> => {
  if (host !== undefined) return createRuntime([host])
  return backend === undefined ? createUnconfined("a test", testLimits) : createConfined(backend)
}
const sandbox = await create()
await sandbox.run({ ...JSON.parse(command), signal: new AbortController().signal })
