/** The line before the task in an instruction that begins with context. */
export const taskHeading = "=== YOUR TASK ===\n"
