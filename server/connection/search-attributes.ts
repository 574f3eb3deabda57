import { setTimeout as delay } from "node:timers/promises"
import type { Connection } from "@temporalio/client"
import { errorMessage } from "../../domain/text/error-message.ts"
import { searchAttributeNames } from "./search-attribute-names.ts"

export interface Registration {
  readonly hasSearchAttributes: boolean
  /** Why they are missing, for a warning. */
  readonly reason?: string
}

// temporal.api.enums.v1.IndexedValueType
const keyword = 2

/** Registers missing search attributes of sessions. Never throws, since sessions also work without them. */
export const ensureSearchAttributes = async (
  connection: Connection,
  namespace: string,
  waitMs = 5_000,
): Promise<Registration> => {
  try {
    const missing = await missingNames(connection, namespace)
    if (missing.length > 0) {
      const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]))
      await within(connection, () => connection.operatorService.addSearchAttributes({ namespace, searchAttributes }))
    }
    const deadline = performance.now() + waitMs
    while ((await missingNames(connection, namespace)).length > 0) {
      if (performance.now() > deadline)
        return { hasSearchAttributes: false, reason: "they did not become available in time" }
      await delay(100)
    }
    return { hasSearchAttributes: true }
  } catch (error) {
    return { hasSearchAttributes: false, reason: errorMessage(error) }
  }
}

/** Returns the names that the namespace does not have. Throws if the server cannot be asked, or has a name with another type. */
export const missingNames = async (connection: Connection, namespace: string): Promise<readonly string[]> => {
  const { customAttributes } = await within(connection, () =>
    connection.operatorService.listSearchAttributes({ namespace }),
  )
  const foreign = searchAttributeNames.find((name) => (customAttributes[name] ?? keyword) !== keyword)
  if (foreign !== undefined) throw new Error(`${foreign} exists with a type other than Keyword`)
  return searchAttributeNames.filter((name) => customAttributes[name] === undefined)
}

const within = <T>(connection: Connection, call: () => Promise<T>): Promise<T> =>
  connection.withDeadline(Date.now() + 10_000, call)
