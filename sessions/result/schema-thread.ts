import { parentPort } from "node:worker_threads"
import { Ajv, type ErrorObject, type Options } from "ajv"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { SchemaJob, SchemaVerdict } from "../../domain/tools/schema-check.ts"

const maxProblems = 5

const options: Options = { strict: false, validateFormats: false, allErrors: true, logger: false }

/** Older drafts write tuples and references in another way than the current one, which is meant where a schema names none. */
const validatorFor = ({ $schema }: SchemaJob["schema"]) => {
  if (typeof $schema !== "string") return new Ajv2020(options)
  if (/draft-0[67]/.test($schema)) return new Ajv(options)
  return $schema.includes("2019-09") ? new Ajv2019(options) : new Ajv2020(options)
}

const schemaProblem = ({ instancePath, message = "is not valid" }: ErrorObject, subject: string): string =>
  `${instancePath === "" ? subject : instancePath} ${message}`

const verdictOf = ({ schema, candidates, subject }: SchemaJob): SchemaVerdict => {
  const validate = validatorFor(schema).compile(schema)
  let problem: string | undefined
  for (const candidate of candidates) {
    if (validate(candidate)) return { kind: "valid" }
    problem ??= (validate.errors ?? [])
      .slice(0, maxProblems)
      .map((error) => schemaProblem(error, subject))
      .join("; ")
  }
  return problem === undefined ? { kind: "valid" } : { kind: "invalid", problem }
}

const answer = (job: SchemaJob): SchemaVerdict => {
  try {
    return verdictOf(job)
  } catch (error) {
    return { kind: "unusable", problem: error instanceof Error ? error.message : String(error) }
  }
}

const post = (message: "ready" | SchemaVerdict): void =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message)

parentPort?.on("message", (job: SchemaJob) => post(answer(job)))
// A time limit begins after this: a busy machine may take long to load and prepare the validator.
answer({ schema: { type: "string" }, candidates: [""], subject: "" })
post("ready")
