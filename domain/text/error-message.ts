/** Returns the message of a thrown value. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the code of an error, such as `ENOENT`; undefined if it has none. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** Returns whether a code is one of the operating system, such as `EIO`, and not one of a library. */
export const isOfSystem = (code: string): boolean => /^E[A-Z]{2,}$/.test(code)

/** Ignores the error of creating a file or directory that another process created at the same moment. */
export const ignoreIfPresent = (error: unknown): void => {
  if (systemCode(error) !== "EEXIST") throw error
}
