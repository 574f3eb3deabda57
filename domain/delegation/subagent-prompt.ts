/** User message of a `dynamic_subagent_task` child. Without context there is nothing to set the task apart from, but the heading stays. */
export const subagentPrompt = (instructions: string, context?: string): string => {
  const earlier =
    context === undefined || context.trim() === "" ? "" : `=== CONTEXT (from previous work) ===\n${context}\n\n`
  return `${earlier}=== YOUR TASK ===\n${instructions}`
}
