import { systemCode } from "../../domain/text/error-message.ts"

/** Returns undefined for the error of a file system about a path that does not exist, and throws any other: the path may be there. */
export const orAbsent = (error: unknown): undefined => {
  const code = systemCode(error)
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error
  return undefined
}
