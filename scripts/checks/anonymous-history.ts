/** Replaces data about the machine and the process that recorded a history; replay does not read it. */
const anonymous = (key: string, value: unknown): unknown => {
  if (key === "stackTrace") return undefined
  return typeof value === "string" && (key === "identity" || /^\d+@/.test(value)) ? "recorder" : value
}

/** Returns the text of a golden history without the recorder's identity, process ids, host name and stack traces. */
export const anonymousHistory = (json: string): string => `${JSON.stringify(JSON.parse(json), anonymous)}\n`
