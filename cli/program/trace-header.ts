import type { Environment } from "../../domain/environment.ts"

/** Returns the header that continues the trace of the program that started this command: CI systems and shells pass it as `TRACEPARENT`. */
export const traceHeader = (env: Environment): Readonly<Record<string, string>> => {
  const traceparent = env["TRACEPARENT"]?.trim() ?? ""
  return /^[\da-f-]+$/.test(traceparent) ? { traceparent } : {}
}
