/** The answer of a delegation tool: text for a model, and the same as data for a program. */
export interface ToolAnswer {
  readonly text: string
  readonly structured: Readonly<Record<string, unknown>>
  readonly isError: boolean
}
