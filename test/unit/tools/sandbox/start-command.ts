import type { Sandbox } from "../../../../tools/sandbox/sandbox.ts"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import { createConfined, createRuntime } from "./backends.ts"
import { testLimits } from "./command.ts"

/**
 * A process of its own that runs one command, to be killed while it does. `argv[3]` names the backend that confines it, and `argv[4]` hosts
 * for the runtime.
 */
const [, , command = "{}", backend, host] = process.argv
const create = async (): Promise<Sandbox> => {
  if (host !== undefined) return createRuntime([host])
  return backend === undefined ? createUnconfined("a test", testLimits) : createConfined(backend)
}
const sandbox = await create()
await sandbox.run({ ...JSON.parse(command), signal: new AbortController().signal })
