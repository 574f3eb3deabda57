import type { CliContext, HostOptions } from "../program/cli-context.ts"
import type { ExitCode } from "../program/exit-code.ts"
import { orInterrupted } from "./interrupts.ts"
import type { SessionHost } from "./session-host.ts"

/** Opens the host, uses it, and closes it in every case. A signal while it opens ends the wait for it. */
export const withHost = async (
  context: CliContext,
  use: (host: SessionHost) => Promise<ExitCode>,
  options: HostOptions = {},
): Promise<ExitCode> => {
  const opening = context.openHost(options)
  let host: SessionHost
  try {
    host = await orInterrupted(context.interrupts, opening)
  } catch (error) {
    opening.then((late) => late.close()).catch(() => undefined)
    throw error
  }
  try {
    return await use(host)
  } finally {
    await host.close()
  }
}
