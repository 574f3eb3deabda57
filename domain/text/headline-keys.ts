/** The arguments that say what a call is about, the most telling one first. */
export const headlineKeys = [
  "file_path",
  "path",
  "pattern",
  "command",
  "task",
  "prompt",
  "description",
  "query",
  "url",
] as const
