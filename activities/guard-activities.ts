import { ApplicationFailure, asyncLocalStorage, CancelledFailure } from "@temporalio/activity"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { boundForHistory, cutText, maxErrorCharacters, resultLimits } from "../domain/text/bound-for-history.ts"
import { withoutStack } from "../domain/text/without-stack.ts"
import { withHeartbeats } from "./with-heartbeats.ts"

const isExpected = (error: unknown): error is Error =>
  error instanceof ApplicationFailure || error instanceof CancelledFailure || isAdjutantError(error)

const maxCauses = 5

/** Cuts the message and the stack trace of an error and of its causes. */
const boundError = (error: unknown, depth = 0): void => {
  if (!(error instanceof Error) || depth === maxCauses) return
  if (error.message.length > maxErrorCharacters) error.message = cutText(error.message, maxErrorCharacters)
  if (error.stack !== undefined && error.stack.length > 2 * maxErrorCharacters)
    error.stack = cutText(error.stack, 2 * maxErrorCharacters)
  if (depth === maxCauses - 1) delete error.cause
  boundError(error.cause, depth + 1)
}

const boundResult = <Result>(name: string, result: Result): Result => {
  const bounded = boundForHistory(result, resultLimits)
  if (bounded !== undefined) return bounded.value
  throw withoutStack(
    ApplicationFailure.nonRetryable(`the result of ${name} is too large for the workflow history`, "payload_too_large"),
  )
}

/**
 * The same activity for the engine: nothing large enters history by its result or its error, and expected failures have no stack trace; an unexpected
 * one keeps its own. Where the engine expects heartbeats, it gets them from the start to the end, whatever the activity waits for.
 */
const guardActivity =
  <Arguments extends readonly unknown[], Result>(
    name: string,
    activity: (...args: Arguments) => Promise<Result>,
    { before, within, reportsProgress }: GuardOptions,
  ) =>
  async (...args: Arguments): Promise<Result> => {
    const work = async (): Promise<Result> => {
      await before(name)
      const limitMs = limitOf()
      const call = () => activity(...args)
      return limitMs === undefined ? call() : within(limitMs, call)
    }
    try {
      return boundResult(name, await (reportsProgress.includes(name) ? work() : withHeartbeats(work)))
    } catch (error) {
      boundError(error)
      throw isExpected(error) ? withoutStack(error) : error
    }
  }

interface GuardOptions {
  /** Called with the name of the activity each time; throws to refuse it. */
  readonly before: (name: string) => Promise<void>
  /** Runs an activity whose writes must not begin when its time has passed. */
  readonly within: <T>(limitMs: number, work: () => Promise<T>) => Promise<T>
  /** Activities whose own heartbeats say how far they are. */
  readonly reportsProgress: readonly string[]
}

const noGuard: GuardOptions = { before: async () => undefined, within: (_, work) => work(), reportsProgress: [] }

/** Shorter calls, such as quick tools, have a limit of their own. */
const shortestLimitMs = 10_000

/** Returns the time of the running activity, if the engine begins it again after that time while this attempt may still wait for the store. */
const limitOf = (): number | undefined => {
  const info = asyncLocalStorage.getStore()?.info
  const limitMs = info?.heartbeatTimeoutMs === undefined ? info?.startToCloseTimeoutMs : undefined
  return limitMs === undefined || limitMs < shortestLimitMs ? undefined : limitMs
}

type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

/** Wraps every activity of the worker with `guardActivity`. */
export const guardActivities = <A extends object>(
  activities: A & { readonly [Name in keyof A]: Activities[string] },
  options: Partial<GuardOptions> = {},
): A =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each wrapped activity keeps the type of its original
  Object.fromEntries(
    Object.entries<Activities[string]>(activities).map(([name, activity]) => [
      name,
      guardActivity(name, activity, { ...noGuard, ...options }),
    ]),
  ) as A
