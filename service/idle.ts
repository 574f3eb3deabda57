import type { AdjutantClient } from "../client/create-client.ts"
import type { Config } from "../contracts/config/config.ts"
import type { Status } from "../contracts/status.ts"

export interface Work {
  readonly counts: Readonly<Record<Status, number>>
  /** Whether a delivery is due. */
  readonly delivers: boolean
  /** Why the service must stay although nothing runs; undefined: it need not. */
  readonly keptBy: string | undefined
}

/** Returns what of the configuration expects a client outside to reach the service. */
const expectedFrom = (
  { inbound, webhooks, notify, notifyOn, schedules }: Config,
  paused: number,
): string | undefined => {
  if (Object.keys(inbound).length > 0) return "an inbound hook is configured"
  if (Object.keys(schedules).length > 0) return "a schedule is configured"
  if (paused > 0 && webhooks.some(({ events }) => events.includes("run-paused"))) return "a pause was sent to a webhook"
  const told = [...notifyOn.approval, ...notifyOn.question].some((name) => Object.hasOwn(notify, name))
  if (paused > 0 && told) return "a pause was sent to people"
  return undefined
}

/** Looks for schedules that were added. Only Temporal knows them. Commands get the answer of the last look, because they must not wait for Temporal. */
export const watchSchedules = ({ schedules }: Pick<AdjutantClient, "schedules">) => {
  let isAdded = false
  return {
    /** Returns why the service must stay, as of the last look. */
    keptBy: (): string | undefined => (isAdded ? "a schedule was added" : undefined),
    /** Returns whether there is one. Rejects if the engine does not answer. */
    look: async (): Promise<boolean> => {
      isAdded = (await schedules.list()).some(({ origin }) => origin === "added")
      return isAdded
    },
  }
}

/** Returns whether the last command ends the service: a CI job leaves no process behind, and with the first process of a container, the others end, too. */
export const endsWithLastCommand = (
  { service }: Pick<Config, "service">,
  env: Readonly<Record<string, string | undefined>>,
  pid: number = process.pid,
): boolean => service.idleMinutes === 0 || pid === 1 || !["", "0", "false", undefined].includes(env["CI"])

/** Returns what a service has to do, by its store. */
export const readWork = async (
  { counts, deliveries, channels }: Pick<AdjutantClient, "counts" | "deliveries" | "channels">,
  config: Config,
): Promise<Work> => {
  const [byStatus, pending, bindings] = await Promise.all([
    counts({}),
    deliveries.list({ status: "pending", limit: 1 }),
    channels.bindings(),
  ])
  const keptBy =
    byStatus.running + byStatus.pending > 0
      ? "tasks run"
      : pending.items.length > 0
        ? "a delivery is due"
        : bindings.items.length > 0
          ? "a thread is bound to a task"
          : expectedFrom(config, byStatus.paused)
  return { counts: byStatus, delivers: pending.items.length > 0, keptBy }
}

export interface IdleWatch {
  /** Resolves when there was nothing to do for the time. */
  readonly idle: Promise<void>
  stop(): void
}

/** Looks at intervals whether there is something to do. A look that fails counts as work: the service stays. */
export const watchIdle = (
  isBusy: () => Promise<boolean>,
  { idleMs, everyMs }: { readonly idleMs: number; readonly everyMs: number },
): IdleWatch => {
  const { promise: idle, resolve } = Promise.withResolvers<void>()
  let idleSinceMs = performance.now()
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    const busy = await isBusy().catch(() => true)
    isLooking = false
    if (busy) idleSinceMs = performance.now()
    else if (performance.now() - idleSinceMs >= idleMs) resolve()
  }
  const timer = setInterval(() => void look(), everyMs)
  return { idle, stop: () => clearInterval(timer) }
}
