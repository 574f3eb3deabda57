/** Throws an error. It makes a `switch` exhaustive: a variant without a case is a type error. */
export const assertNever = (value: never): never => {
  throw new Error(`unhandled variant: ${JSON.stringify(value)}`)
}
