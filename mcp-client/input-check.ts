import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv"
import { z } from "zod"

export type ToolArguments = Record<string, unknown>

const validators = new AjvJsonSchemaValidator()

/** A server's own JSON Schema as a zod schema. One that cannot be understood checks nothing: the server does. */
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
