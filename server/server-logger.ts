/** The part of a pino logger that this folder uses. */
export interface ServerLogger {
  info(message: string): void
  warn(message: string): void
}

export const silentLogger: ServerLogger = { info: () => undefined, warn: () => undefined }
