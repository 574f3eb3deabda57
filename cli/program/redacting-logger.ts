import { collectSecrets } from "../../config/secrets/secrets.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { createRedact, type Redact } from "../../domain/text/redact.ts"
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
  { config, models, dataDir }: LoadedConfig,
  { daemon }: { readonly daemon: boolean },
): RedactingLogger => {
  const secrets = collectSecrets(config, models, env)
  const redact = createRedact(secrets)
  const format = daemon && io.stderr.isTTY !== true ? "json" : "lines"
  const isNewWarning = daemon || options.verbose ? {} : { isNewWarning: rememberWarnings(dataDir) }
  const logger = createLogger({
    ...{ sink: io.stderr, verbose: options.verbose, format, redact, paint: io.paint.stderr },
    ...isNewWarning,
  })
  return { logger, redact }
}
