/** The line before the task in an instruction that begins with context. */
export const taskHeading = "=== YOUR TASK ===\n"

/** Something that an agent should know besides its task. */
export interface ContextPiece {
  readonly name?: string | undefined
  readonly content: string
}

const isGiven = ({ content }: ContextPiece): boolean => content.trim() !== ""

/** Returns the first message for a model: the context, then the task. Without context, only the task. */
export const textWithContext = (task: string, context: readonly ContextPiece[] = []): string => {
  const pieces = context.filter(isGiven)
  if (pieces.length === 0) return task
  const blocks = pieces.map(({ name, content }) =>
    name === undefined ? `=== CONTEXT (from previous work) ===\n${content}` : `=== CONTEXT: ${name} ===\n${content}`,
  )
  return [...blocks, `${taskHeading}${task}`].join("\n\n")
}

/** Returns the context as a program or an MCP tool gets it, apart from its task; undefined if there is none. */
export const contextForProgram = (context: readonly ContextPiece[] = []): string | undefined => {
  const texts = context
    .filter(isGiven)
    .map(({ name, content }) => (name === undefined ? content : `# ${name}\n${content}`))
  return texts.length === 0 ? undefined : texts.join("\n\n")
}
