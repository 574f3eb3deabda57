import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv"
import { z } from "zod"

export type ToolArguments = Record<string, unknown>

const validators = new AjvJsonSchemaValidator()

/** Returns a server's JSON Schema as a zod schema. A schema that cannot be compiled accepts every object; the server then checks its input. */
export const inputCheck = (schema: Readonly<Record<string, unknown>>): z.ZodType<ToolArguments> => {
  const object = z.record(z.string(), z.unknown())
  try {
    const validate = validators.getValidator<ToolArguments>(schema)
    return object.superRefine((value, context) => {
      const result = validate(value)
      if (!result.valid) context.addIssue({ code: "custom", message: result.errorMessage })
    })
  } catch {
    return object
  }
}
