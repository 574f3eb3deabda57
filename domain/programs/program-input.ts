/** What a program's arguments and input can refer to. */
interface ProgramWords {
  readonly task: string
  readonly context: string
}

/** Replaces `{{task}}` and `{{context}}` in a text, once: their values are not searched again. Other braces stay as they are. */
const fillWords = (text: string, words: ProgramWords): string =>
  text.replaceAll(/\{\{\s*(task|context)\s*\}\}/g, (_, name: string) => (name === "task" ? words.task : words.context))

interface ProgramProfile {
  readonly args: readonly string[]
  readonly stdin?: string | undefined
}

interface Delegated extends ProgramWords {
  readonly delegationId: string
  readonly tokenBudget: number | null
}

/** Returns what a program gets: its arguments, and its standard input, which is one JSON object if the profile has no text for it. */
export const programInput = (
  { args, stdin }: ProgramProfile,
  delegated: Delegated,
): { readonly args: readonly string[]; readonly stdin: string } => ({
  // No argument can contain the character that ends one.
  args: args.map((arg) => fillWords(arg, delegated).replaceAll("\0", "")),
  stdin: stdin === undefined ? JSON.stringify(delegated) : fillWords(stdin, delegated),
})
