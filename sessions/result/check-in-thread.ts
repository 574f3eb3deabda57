import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import type { OutputSchema } from "../../contracts/output-schema.ts"

/** A schema and the values of which one must validate. */
export interface ResultJob {
  readonly schema: OutputSchema
  readonly candidates: readonly unknown[]
}

export interface ResultVerdict {
  /** Why no value validates. */
  readonly problem?: string
  /** Why the schema cannot be used. */
  readonly refusal?: string
}

const timeoutMs = 5_000
const memoryMib = 128

const threadFile = (): string => {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
  return fileURLToPath(new URL(`./result-thread${extension}`, import.meta.url))
}

const failed = (error: unknown): ResultVerdict => ({
  refusal: `the validation failed: ${error instanceof Error ? error.message : String(error)}`,
})

/** Returns the verdict of a thread. The time limit begins when it has loaded the validator. */
const verdictOf = (thread: Worker): Promise<ResultVerdict> => {
  const verdict = Promise.withResolvers<ResultVerdict>()
  let timer: NodeJS.Timeout | undefined
  const tooLong = { refusal: `the validation takes longer than ${timeoutMs} ms: use a simpler schema` }
  thread.on("message", (message: "ready" | ResultVerdict) => {
    if (message === "ready") timer = setTimeout(() => verdict.resolve(tooLong), timeoutMs)
    else verdict.resolve(message)
  })
  thread.on("error", (error) => verdict.resolve(failed(error)))
  thread.on("exit", () => verdict.resolve(failed("the thread ended")))
  return verdict.promise.finally(() => clearTimeout(timer))
}

/**
 * Validates in a thread of its own, which is ended after the time limit: some schemas, and the patterns in them, take practically endless time and memory.
 */
export const checkInThread = async (job: ResultJob): Promise<ResultVerdict> => {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMib }
  const thread = new Worker(threadFile(), { workerData: job, env: {}, resourceLimits })
  try {
    return await verdictOf(thread)
  } finally {
    await thread.terminate()
  }
}
