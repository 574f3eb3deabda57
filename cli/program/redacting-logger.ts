import { createSecretRedact } from "../../config/secrets/secrets.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { createLogExporter } from "../../sessions/trace/log-exporter.ts"
import type { CliContext } from "./cli-context.ts"
import { type CliLogger, createLogger } from "./logger.ts"
import { rememberWarnings } from "./shown-warnings.ts"

export interface RedactingLogger {
  readonly logger: CliLogger
  /** Removes known secrets from a text. */
  readonly redact: Redact
}

/** Returns a logger that knows the secrets of the configuration. The log of a daemon is JSON unless a person reads it at a terminal. */
export const createRedactingLogger = (
  { io, env, options }: Pick<CliContext, "io" | "env" | "options">,
  loaded: LoadedConfig,
  { daemon }: { readonly daemon: boolean },
): RedactingLogger => {
  const redact = createSecretRedact(loaded, env)
  const format = daemon && io.stderr.isTTY !== true ? "json" : "lines"
  const isNewWarning = daemon || options.verbose ? {} : { isNewWarning: rememberWarnings(loaded.dataDir) }
  const exportLine = daemon ? createLogExporter(env) : undefined
  const logger = createLogger({
    ...{ sink: io.stderr, verbose: options.verbose, format, redact, paint: io.paint.stderr },
    ...isNewWarning,
    ...(exportLine === undefined ? {} : { exportLine }),
  })
  return { logger, redact }
}
