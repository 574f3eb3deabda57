/**
 * Returns the same error without its stack trace. A failure that is raised on purpose is explained by its type and message; its stack would only
 * store the paths of the worker's machine in every history.
 */
export const withoutStack = <E extends Error>(error: E): E => {
  error.stack = ""
  return error
}
