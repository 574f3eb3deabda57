/**
 * The field of a log entry about the machine or the project, not about a run: a command shows it once per data directory. Logs of processes that run on
 * their own contain it each time.
 */
export const oncePerProject = { once: "project" } as const
