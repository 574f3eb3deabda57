import { defaultPayloadConverter, type Payload, type PayloadConverter } from "@temporalio/common"

/** What a signal's argument becomes when it cannot be decoded. */
export interface Undecodable {
  readonly undecodable: string
}

export const isUndecodable = (value: unknown): value is Undecodable =>
  typeof value === "object" && value !== null && "undecodable" in value && typeof value.undecodable === "string"

/**
 * The default converter, except that decoding never throws: a signal with a broken argument would otherwise fail every attempt of the workflow task.
 * Workers and the bundle use it; handlers warn about `Undecodable` and ignore it.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: <T>(payload: Payload): T => {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload)
    } catch (error) {
      const undecodable: Undecodable = { undecodable: error instanceof Error ? error.message : String(error) }
      // Takes the same way as anything that was sent, so that no type is claimed that nobody checked.
      return defaultPayloadConverter.fromPayload<T>(defaultPayloadConverter.toPayload(undecodable))
    }
  },
}
