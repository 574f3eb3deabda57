/**
 * Options of every gRPC channel to Temporal. A page of a history may take more than the 4 MiB that gRPC accepts by default: one signal alone may have
 * 2 MB. The SDK's default has the wrong name (`max_receive_message_length`, 1.24.0) and changes nothing.
 */
export const channelArgs = { "grpc.max_receive_message_length": 128 * 1024 * 1024 } as const
