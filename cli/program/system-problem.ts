const placeOf = (error: Error): string =>
  "path" in error && typeof error.path === "string" ? error.path : "the data directory"

/** Returns what the machine refused and what to do about it; undefined for any other error. */
export const systemProblem = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full: free some space, or choose another directory with --data-dir"
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return `${placeOf(error)} cannot be read or written (${error.code}): change its owner or mode, or choose another directory with --data-dir`
    case "EMFILE":
    case "ENFILE":
      return "too many files are open: raise the limit (`ulimit -n`) and try again"
    default:
      return undefined
  }
}
