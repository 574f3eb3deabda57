/** What the store needs of a logger; pino's has it. */
export interface StoreLogger {
  warn(details: Readonly<Record<string, unknown>>, message: string): void
}
