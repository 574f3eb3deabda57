import {
  type ActivityInterfaceFor,
  type ActivityOptions,
  ApplicationFailure,
  type LocalActivityOptions,
  proxyActivities,
  proxyLocalActivities,
} from "@temporalio/workflow"
import { boundForHistory, inputLimits } from "../domain/text/bound-for-history.ts"
import { withoutStack } from "../domain/text/without-stack.ts"

const boundInput = (name: string, input: unknown): unknown => {
  const bounded = boundForHistory(input, inputLimits)
  if (bounded !== undefined) return bounded.value
  throw withoutStack(
    ApplicationFailure.nonRetryable(`the input of ${name} is too large for the workflow history`, "payload_too_large"),
  )
}

type Calls = Readonly<Record<string | symbol, (...args: readonly unknown[]) => unknown>>

/** Wraps activities so that they are called with other inputs. */
export const mapInputs = <A extends object>(activities: A, map: (name: string, input: unknown) => unknown): A =>
  new Proxy(activities, {
    get: (target, name) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every property of the library's proxy is an activity
      const call = (target as Calls)[name]
      return (...args: readonly unknown[]) => call?.(...args.map((input) => map(String(name), input)))
    },
  })

/** Wraps activities so that their inputs fit into history. */
export const withBoundInputs = <A extends object>(activities: A): A => mapInputs(activities, boundInput)

/** Returns the activities for calls from workflow code. Workflows call activities in no other way. */
export const activitiesOf = <A>(options: ActivityOptions): ActivityInterfaceFor<A> =>
  withBoundInputs(proxyActivities<A>(options))

/** Returns the same as local activities, which run inside the workflow task. */
export const localActivitiesOf = <A>(options: LocalActivityOptions): ActivityInterfaceFor<A> =>
  withBoundInputs(proxyLocalActivities<A>(options))
