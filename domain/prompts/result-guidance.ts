/** Returns the part of the system prompt that asks for a result of a certain form. */
export const resultGuidance = (schema: Readonly<Record<string, unknown>>): string => `# Result

A program reads your result. It must be one JSON value that validates against the JSON Schema below: call the finish tool with that value as its result, or reply with the JSON alone. A result that does not validate is returned to you.

${JSON.stringify(schema)}`

/** Returns what a model is told about a final text that is not the result that was asked for. */
export const resultNotice = (problem: string): string =>
  `Your result does not validate against the required JSON Schema: ${problem}. Correct it, then call the finish tool with it or reply with the JSON alone.`
