import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from "@temporalio/client"
import { temporalProxy } from "./temporal-proxy.ts"

type Interceptor = NonNullable<ConnectionOptions["interceptors"]>[number]
type NextCall = Parameters<Interceptor>[1]
type Call = ReturnType<NextCall>

/**
 * Options of every gRPC channel to Temporal. A page of a history may be larger than the 4 MiB that gRPC accepts by default: a single signal may have
 * 2 MB. The SDK sets this option under the wrong name (`max_receive_message_length`, 1.24.0), without effect.
 */
const channelArgs = { "grpc.max_receive_message_length": 128 * 1024 * 1024 } as const

// A status of @grpc/grpc-js that the SDK does not retry.
const cancelled = 1

/** Returns a call that ends at once with a status. */
const failedCall = (details: string): Call => ({
  start: (metadata, listener) => {
    // The metadata of a request may have credentials, and that of a status is shown in errors.
    const none = metadata.clone()
    for (const key of Object.keys(none.getMap())) none.remove(key)
    listener?.onReceiveStatus?.({ code: cancelled, details, metadata: none })
  },
  sendMessage: () => undefined,
  sendMessageWithContext: () => undefined,
  startRead: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => "unknown",
  getAuthContext: () => null,
})

/** Passes the first attempt on as it is; a later one that cannot start ends with a status. */
const failRetries = (nextCall: NextCall): NextCall => {
  let attempts = 0
  return (options) => {
    attempts += 1
    if (attempts === 1) return nextCall(options)
    try {
      return nextCall(options)
    } catch {
      return failedCall("the connection to Temporal was closed")
    }
  }
}

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions())

/**
 * Retries calls as Temporal's client does by default. That one retries in a timer (1.24.0): on a connection that was closed meanwhile, as at the end of a
 * process while the server is away, gRPC throws, and an exception in a timer ends the process.
 */
const retryUntilClosed: Interceptor = (options, nextCall) => retry(options, failRetries(nextCall))

/**
 * Returns the address to connect to, and the arguments of a channel that reaches Temporal through the proxy of its address, if it has one. gRPC has its
 * own rules for proxies, by which a server on loopback is asked for through one, too.
 */
const proxiedChannel = (address: string) => {
  const proxy = temporalProxy(address)
  const direct = { ...channelArgs, "grpc.enable_http_proxy": 0 }
  if (proxy === undefined) return { address, channelArgs: direct }
  const { basicAuth } = proxy
  return {
    address: proxy.targetHost,
    channelArgs: {
      ...direct,
      "grpc.http_connect_target": `dns:${address}`,
      "grpc.default_authority": address,
      ...(basicAuth === undefined ? {} : { "grpc.http_connect_creds": `${basicAuth.username}:${basicAuth.password}` }),
    },
  }
}

/** Connects to a Temporal server with the options that all connections of this program need. Rejects if the server does not answer in time. */
export const openConnection = ({ address = "localhost:7233", ...options }: ConnectionOptions): Promise<Connection> =>
  Connection.connect({ ...options, ...proxiedChannel(address), interceptors: [retryUntilClosed] })
