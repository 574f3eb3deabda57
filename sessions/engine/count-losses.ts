/** States of a gRPC channel, by their number in grpc-js. */
const ready = 2
const shutDown = 4

/** The part of a gRPC channel that reports its state. */
interface Channel {
  getConnectivityState(connects: boolean): number
  watchConnectivityState(current: number, deadline: number, changed: (error?: Error) => void): void
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isChannel = (value: unknown): value is Channel =>
  isObject(value) &&
  typeof Reflect.get(value, "getConnectivityState") === "function" &&
  typeof Reflect.get(value, "watchConnectivityState") === "function"

const channelOf = (connection: object): Channel | undefined => {
  const client: unknown = Reflect.get(connection, "client")
  if (!isObject(client)) return undefined
  const getChannel: unknown = Reflect.get(client, "getChannel")
  const channel: unknown = typeof getChannel === "function" ? Reflect.apply(getChannel, client, []) : undefined
  return isChannel(channel) ? channel : undefined
}

/**
 * Returns a function that returns how often a connection of Temporal's client was lost. gRPC changes the state of a channel before it sends a request over
 * another connection: while the number stays the same, the same server answers. The number of a connection that cannot be watched is always 0.
 */
export const countLosses = (connection: object | undefined): (() => number) => {
  const channel = connection === undefined ? undefined : channelOf(connection)
  let losses = 0
  const watch = (state: number): void => {
    if (state === shutDown) return
    channel?.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
      if (state === ready) losses += 1
      watch(channel.getConnectivityState(false))
    })
  }
  if (channel !== undefined) watch(channel.getConnectivityState(false))
  return () => losses
}
