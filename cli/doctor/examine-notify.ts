import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Environment } from "../../domain/environment.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import { examineDestination } from "../../sessions/notify/examine-destination.ts"

/** Asks the service of each destination of `notify` what it lacks, without sending a message; nothing if none is configured. */
export const examineNotify = async (
  { config }: Pick<LoadedConfig, "config">,
  env: Environment,
): Promise<readonly Finding[]> =>
  await Promise.all(
    Object.entries(config.notify).map(async ([name, destination]): Promise<Finding> => {
      const hint = `correct notify.${name}, then run "adjutant notify test ${name}"`
      try {
        const problem = await examineDestination(destination, env)
        return problem === undefined
          ? { name: "notify", status: "ok", detail: `${name} (${destination.type})` }
          : { name: "notify", status: "warn", detail: `${name}: ${problem}`, hint }
      } catch {
        return { name: "notify", status: "warn", detail: `${name}: its service could not be reached`, hint }
      }
    }),
  )
