/** The part of a logger that this folder uses; pino has it. */
export interface ServerLogger {
  info(message: string): void
  warn(message: string): void
}

export const silentLogger: ServerLogger = { info: () => undefined, warn: () => undefined }
