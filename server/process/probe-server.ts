import { connect } from "node:http2"

/**
 * Returns true if the server at an address serves the namespace. Implements gRPC on node:http2, since the client package would cost the long-running
 * keeper 60 MB of memory.
 */
export const probeServer = async (address: string, namespace: string, timeoutMs: number): Promise<boolean> => {
  const health = await callUnary(address, "/grpc.health.v1.Health/Check", {
    message: stringField("temporal.api.workflowservice.v1.WorkflowService"),
    timeoutMs,
  })
  // HealthCheckResponse.status = SERVING
  if (health === undefined || !health.equals(Buffer.from([0x08, 0x01]))) return false
  const description = await callUnary(address, "/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace", {
    message: stringField(namespace),
    timeoutMs,
  })
  return description !== undefined
}

/**
 * Returns true if the server answers, but every query of its database fails as interrupted. SQLite can get stuck in this state when the server cancels
 * a query, and only a new process resolves it.
 */
export const isDatabaseStuck = async (address: string, timeoutMs: number): Promise<boolean> => {
  const answer = await call(address, "/temporal.api.workflowservice.v1.WorkflowService/ListNamespaces", {
    message: Buffer.alloc(0),
    timeoutMs,
  })
  return answer !== undefined && answer.status !== "0" && /interrupted(%20| )\(9\)/.test(answer.reason)
}

/** Encodes field 1 of a protobuf message, a string of at most 127 bytes. */
const stringField = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x0a, bytes.length]), bytes])
}

interface UnaryCall {
  readonly message: Buffer
  readonly timeoutMs: number
}

interface UnaryAnswer {
  readonly status: string
  /** Reason of an error status, percent-encoded. */
  readonly reason: string
  readonly message: Buffer
}

/** Returns the message of the answer; undefined if there is no answer or it has an error status. */
const callUnary = async (address: string, path: string, unary: UnaryCall): Promise<Buffer | undefined> => {
  const answer = await call(address, path, unary)
  return answer?.status === "0" ? answer.message : undefined
}

/** Calls a method; returns undefined if there is no answer. */
const call = (address: string, path: string, unary: UnaryCall): Promise<UnaryAnswer | undefined> =>
  new Promise((resolve) => {
    const session = connect(`http://${address}`)
    const settle = (answer: UnaryAnswer | undefined): void => {
      clearTimeout(timer)
      session.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => settle(undefined), unary.timeoutMs)
    session.on("error", () => settle(undefined))
    const request = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    })
    const chunks: Buffer[] = []
    let status: string | undefined
    let reason = ""
    const readStatus = (headers: NodeJS.Dict<string | string[] | number>): void => {
      if (headers["grpc-status"] !== undefined) status = String(headers["grpc-status"])
      if (headers["grpc-message"] !== undefined) reason = String(headers["grpc-message"])
    }
    request.on("response", readStatus)
    request.on("trailers", readStatus)
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => settle(undefined))
    request.on("end", () =>
      settle(
        status === undefined
          ? undefined
          : { status, reason, message: Buffer.concat(chunks).subarray(frameHeaderBytes) },
      ),
    )
    const header = Buffer.alloc(frameHeaderBytes)
    header.writeUInt32BE(unary.message.length, 1)
    request.end(Buffer.concat([header, unary.message]))
  })

const frameHeaderBytes = 5
