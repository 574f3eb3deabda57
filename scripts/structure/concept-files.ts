/**
 * Short files with one importer that remain separate files because each is a concept, with the reason. A key is the end of a path, so that the file may
 * move.
 */
export const conceptFiles: Readonly<Record<string, string>> = {
  "agent/agents.ts": "the workflow types of sub-agents",
  "outcome/watch.ts": "one file for each use case of the client",
  "spawn/turns.ts": "the order of one caller's spawns, with a test of its own",
  "prompts/delegation-guidance.ts": "one file for each prompt",
}

/** Returns whether a key of the list names the file. */
export const namesFile = (key: string, file: string): boolean => file === key || file.endsWith(`/${key}`)
