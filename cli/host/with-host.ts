import { tellMeanwhile } from "../service/meanwhile.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { orInterrupted } from "../terminal/interrupts.ts"
import type { CommandContext, HostOptions, Hosts, Need } from "./hosts.ts"

/** Opens what a command needs, uses it, and closes it in every case. A signal while it opens ends the wait for it. */
export const withHost = async <Name extends Need>(
  context: CommandContext,
  need: Name,
  use: (host: Hosts[Name]) => Promise<ExitCode>,
  options: HostOptions = {},
): Promise<ExitCode> => {
  const opening = context.open[need](options)
  let host: Hosts[Name]
  try {
    host = await orInterrupted(context.interrupts, opening)
  } catch (error) {
    opening.then((late) => late.close()).catch(() => undefined)
    throw error
  }
  try {
    const isAboutTasks = need === "tasks" || need === "reading"
    return isAboutTasks ? await tellMeanwhile(context, host, () => use(host)) : await use(host)
  } finally {
    await host.close()
  }
}
