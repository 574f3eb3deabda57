import { ApplicationFailure, CancelledFailure } from "@temporalio/activity"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { withoutStack } from "../domain/text/without-stack.ts"

const isExpected = (error: unknown): error is Error =>
  error instanceof ApplicationFailure || error instanceof CancelledFailure || isAdjutantError(error)

/** The same activity, whose expected failures reach the engine without a stack trace; a bug keeps its own. */
const dropExpectedStack =
  <Arguments extends readonly unknown[], Result>(activity: (...args: Arguments) => Promise<Result>) =>
  async (...args: Arguments): Promise<Result> => {
    try {
      return await activity(...args)
    } catch (error) {
      throw isExpected(error) ? withoutStack(error) : error
    }
  }

type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

/** Wraps every activity of the worker with `dropExpectedStack`. */
export const dropExpectedStacks = <A extends object>(
  activities: A & { readonly [Name in keyof A]: Activities[string] },
): A =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each wrapped activity keeps the type of its original
  Object.fromEntries(
    Object.entries<Activities[string]>(activities).map(([name, activity]) => [name, dropExpectedStack(activity)]),
  ) as A
