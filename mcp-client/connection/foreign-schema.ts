import type { jsonSchemaValidator, JsonSchemaValidatorResult } from "@modelcontextprotocol/client"
import type { CheckSchema, SchemaJob } from "../../domain/tools/schema-check.ts"

/** How long a check waits for its turn, in milliseconds. */
const waitMs = 5_000
const shownCharacters = 2_048

/**
 * Accepts everything. The SDK's client would run the patterns of a server on the event loop, and replace the server's answer by an error if it does
 * not match.
 */
export const acceptEverything: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (input: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK passes the value on as it came
      data: input as T,
      errorMessage: undefined,
    }),
}

/** The checks of one server's schemas. */
export interface ForeignSchemas {
  /** Returns why arguments do not match; undefined if they do, or if that cannot be checked: the server checks its own input. */
  inputProblem(schema: SchemaJob["schema"], args: unknown): Promise<string | undefined>
  /** Returns a remark for the reader of a result that does not match, or could not be checked. */
  outputRemark(schema: SchemaJob["schema"], value: unknown): Promise<string | undefined>
}

export const createForeignSchemas = (check: CheckSchema, server: string): ForeignSchemas => {
  const verdictOf = (schema: SchemaJob["schema"], value: unknown, subject: string) =>
    check({ schema, candidates: [value], subject }, { owner: `mcp ${server}`, waitMs })
  return {
    async inputProblem(schema, args) {
      const verdict = await verdictOf(schema, args, "the arguments")
      return verdict.kind === "invalid" ? verdict.problem.slice(0, shownCharacters) : undefined
    },
    async outputRemark(schema, value) {
      const subject = "the structured content"
      const verdict = await verdictOf(schema, value, subject)
      switch (verdict.kind) {
        case "valid":
          return undefined
        case "invalid":
          return `(${subject} does not match the output schema of the tool: ${verdict.problem.slice(0, shownCharacters)})`
        case "unusable":
          return `(${subject} was not checked against the output schema of the tool: ${verdict.problem.slice(0, shownCharacters)})`
        case "busy":
          return `(${subject} was not checked against the output schema of the tool: too many other checks were waiting)`
      }
    },
  }
}
