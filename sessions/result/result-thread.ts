import { parentPort, workerData } from "node:worker_threads"
import { Ajv, type ErrorObject } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { ResultJob } from "./check-in-thread.ts"

const maxProblems = 5

const options = { strict: false, validateFormats: false, logger: false } as const

/** Drafts 6 and 7 write tuples in another way than the current one, which is meant where a schema names none. */
const validatorFor = ({ $schema }: ResultJob["schema"]) =>
  typeof $schema === "string" && /draft-0[67]/.test($schema) ? new Ajv(options) : new Ajv2020(options)

const textOf = ({ instancePath, message = "is not valid" }: ErrorObject): string =>
  `${instancePath === "" ? "the result" : instancePath} ${message}`

const problemOf = ({ schema, candidates }: ResultJob): string | undefined => {
  const validate = validatorFor(schema).compile(schema)
  let problem: string | undefined
  for (const candidate of candidates) {
    if (validate(candidate)) return undefined
    problem ??= (validate.errors ?? []).slice(0, maxProblems).map(textOf).join("; ")
  }
  return problem
}

const answer = () => {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `check-in-thread.ts` alone starts this thread
    return { problem: problemOf(workerData as ResultJob) }
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) }
  }
}

// The time limit begins here: a busy machine may take long to load the validator.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage("ready")
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(answer())
