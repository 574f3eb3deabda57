/** The part of a logger that this folder uses. */
export interface ServerLogger {
  info(message: string): void
  warn(message: string): void
  /** Warns of the server as such, which is the same for every command of a project; default: as `warn`. */
  warnOnce?(message: string): void
}

export const silentLogger: ServerLogger = { info: () => undefined, warn: () => undefined }

/** Warns of what stays the same until the server changes. */
export const warnOfServer = (logger: ServerLogger, message: string): void =>
  logger.warnOnce === undefined ? logger.warn(message) : logger.warnOnce(message)
