/** The part of a pino logger that the store uses. */
export interface StoreLogger {
  warn(details: Readonly<Record<string, unknown>>, message: string): void
}
