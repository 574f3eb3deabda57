/** Short names of commands, which work like them. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ["list", ["ls", "ps"]],
  ["log", ["logs"]],
])

/** What people type who know other programs, and the command that they mean. None of these commands ends a task. */
const meant: ReadonlyMap<string, string> = new Map([
  ["show", "info"],
  ["status", "info"],
  ["get", "info"],
  ["view", "info"],
  ["watch", "wait"],
  ["attach", "wait"],
  ["follow", "wait"],
  ["history", "list"],
  ["continue", "resume"],
  ["approve", "approvals"],
  ["start", "run"],
])

/** Returns the short names of a command. */
export const aliasesOf = (command: string): readonly string[] => aliases.get(command) ?? []

/** Returns the command that a name of another program means; undefined if it means none. */
export const meantBy = (name: string): string | undefined => meant.get(name)
