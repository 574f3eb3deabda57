const placeOf = (error: Error): string =>
  "path" in error && typeof error.path === "string" ? error.path : "the data directory"

/** What the machine refused, as a sentence that says what to do; undefined for an error that is not the machine's. */
export const systemProblem = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return "The disk is full: free some space, or choose another place with --data-dir."
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return `${placeOf(error)} cannot be read or written (${error.code}): change its owner or mode, or choose another place with --data-dir.`
    case "EMFILE":
    case "ENFILE":
      return "Too many files are open: raise the limit (`ulimit -n`) and try again."
    default:
      return undefined
  }
}
