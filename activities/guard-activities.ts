import { ApplicationFailure, CancelledFailure } from "@temporalio/activity"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { boundForHistory, cutText, maxErrorCharacters, resultLimits } from "../domain/text/bound-for-history.ts"
import { withoutStack } from "../domain/text/without-stack.ts"

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
 * one keeps its own.
 */
const guardActivity =
  <Arguments extends readonly unknown[], Result>(
    name: string,
    activity: (...args: Arguments) => Promise<Result>,
    before: BeforeActivity,
  ) =>
  async (...args: Arguments): Promise<Result> => {
    try {
      await before(name)
      return boundResult(name, await activity(...args))
    } catch (error) {
      boundError(error)
      throw isExpected(error) ? withoutStack(error) : error
    }
  }

type BeforeActivity = (name: string) => Promise<void>

type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

/** Wraps every activity of the worker with `guardActivity`. `before` is called with the name of the activity each time, and throws to refuse it. */
export const guardActivities = <A extends object>(
  activities: A & { readonly [Name in keyof A]: Activities[string] },
  before: BeforeActivity = async () => undefined,
): A =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each wrapped activity keeps the type of its original
  Object.fromEntries(
    Object.entries<Activities[string]>(activities).map(([name, activity]) => [
      name,
      guardActivity(name, activity, before),
    ]),
  ) as A
