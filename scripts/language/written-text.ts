/** What a text is for; some rules apply to one kind only. */
export type TextKind = "comment" | "docstring" | "string" | "error" | "help" | "page"

/** A text that people read, where it is written. */
export interface WrittenText {
  /** Relative to the root of the project, with slashes. */
  readonly file: string
  /** Line on which the text starts, counted from 1. */
  readonly line: number
  readonly kind: TextKind
  /** Interpolations of a template are written as `…`. */
  readonly text: string
}

/** What a text does against one rule. */
export interface LanguageProblem {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly text: string
}
