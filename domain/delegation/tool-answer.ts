/** The answer of a delegation tool: text for a model, and the same as data for a program. */
export interface ToolAnswer {
  readonly text: string
  readonly structured: Readonly<Record<string, unknown>>
  readonly isError: boolean
  /** Sub-agents whose end it reports: it is not announced again. */
  readonly reported?: readonly string[]
  /** Sub-agents whose end need not be announced. */
  readonly silenced?: readonly string[]
}

interface Said extends Partial<Pick<ToolAnswer, "isError" | "reported" | "silenced">> {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
  /** What its reader can do now, in sentences. */
  readonly next?: string | undefined
}

/** Returns an answer that says the same as text and as data: what to do now is the end of the text, and the field `next`. */
export const toolAnswerOf = ({ text, data, next = "", isError = false, ...rest }: Said): ToolAnswer => ({
  text: next === "" ? text : `${text}\n\n${next}`,
  structured: next === "" ? data : { ...data, next },
  isError,
  ...rest,
})
