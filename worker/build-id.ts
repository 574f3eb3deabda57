import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { WorkflowBundleOption } from "@temporalio/worker"

const hashCharacters = 12

/**
 * Names the workflow code that a worker runs, in three events of each step: operators reset by it. The SDK's own says the same in 85 characters.
 */
export const buildIdOf = async (bundle: WorkflowBundleOption): Promise<string> => {
  const code = "code" in bundle ? bundle.code : await readFile(bundle.codePath)
  return `adjutant-${createHash("sha256").update(code).digest("hex").slice(0, hashCharacters)}`
}
