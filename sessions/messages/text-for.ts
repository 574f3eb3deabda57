import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type ContextPiece, textWithContext } from "../../domain/prompts/task-context.ts"

/** Returns the text that a run reads as its message: for a model with the context, which a program gets apart from it. */
export const textFor = (
  { type }: Pick<RunSnapshot, "type">,
  text: string,
  context: readonly ContextPiece[] | undefined,
): string => (type === "llm" ? textWithContext(text, context) : text)
