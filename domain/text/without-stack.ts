/**
 * Removes the stack trace of an error and returns the error. The type and message explain a failure that is raised on purpose; its stack would store
 * paths of the worker's machine in every history.
 */
export const withoutStack = <E extends Error>(error: E): E => {
  error.stack = ""
  return error
}
