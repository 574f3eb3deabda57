import { tellMeanwhile } from "../service/meanwhile.ts"
import type { CliContext, HostOptions } from "../program/cli-context.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { orInterrupted } from "../terminal/interrupts.ts"
import type { ReadingHost, ReadingOptions, StoreHost } from "./store-host.ts"
import type { SessionHost } from "./session-host.ts"
import type { TaskHost } from "./task-host.ts"

/** Waits for a host, uses it, and closes it in every case. A signal while it opens ends the wait for it. */
const withOpened = async <Host extends { close(): Promise<void> }>(
  { interrupts }: CliContext,
  opening: Promise<Host>,
  use: (host: Host) => Promise<ExitCode>,
): Promise<ExitCode> => {
  let host: Host
  try {
    host = await orInterrupted(interrupts, opening)
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

/** Opens the host of this machine, uses it, and closes it in every case. */
export const withHost = (
  context: CliContext,
  use: (host: SessionHost) => Promise<ExitCode>,
  options: HostOptions = {},
): Promise<ExitCode> => withOpened(context, context.openHost(options), use)

/** Opens the store of this machine, without Temporal, uses it, and closes it in every case. */
export const withStore = (
  context: CliContext,
  use: (host: StoreHost) => Promise<ExitCode>,
  options: ReadingOptions,
): Promise<ExitCode> => withOpened(context, context.openStore(options), use)

/** Opens what a command that reads tasks uses, which can be a server; otherwise the same. */
export const withReading = (
  context: CliContext,
  use: (host: ReadingHost) => Promise<ExitCode>,
  options: ReadingOptions,
): Promise<ExitCode> =>
  withOpened(context, context.openReading(options), (host) => tellMeanwhile(context, host, () => use(host)))

/** Opens what a command about tasks uses, which can be a server; otherwise the same. */
export const withTasks = (
  context: CliContext,
  use: (host: TaskHost) => Promise<ExitCode>,
  options: HostOptions = {},
): Promise<ExitCode> =>
  withOpened(context, context.openTasks(options), (host) => tellMeanwhile(context, host, () => use(host)))
