import { createServer } from "node:http"

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly events: readonly { readonly name: string }[]
  readonly status: { readonly code?: number; readonly message?: string }
}

/** One request as it came. */
export interface ReceivedRequest {
  readonly path: string
  readonly type: string
  readonly key: string
  readonly body: Buffer
}

/** A receiver of OTLP over HTTP that keeps what it gets. */
export interface OtlpReceiver {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** The spans of the requests in JSON. */
  spans(): readonly ReceivedSpan[]
  close(): void
}

export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => void parts.push(part))
    request.on("end", () => {
      const { "content-type": type = "", "x-key": key = "" } = request.headers
      requests.push({ path: request.url ?? "", type, key: String(key), body: Buffer.concat(parts) })
      response.setHeader("content-type", type).end(type === "application/json" ? "{}" : "")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spans: () =>
      requests
        .filter(({ path, type }) => path === "/v1/traces" && type === "application/json")
        .flatMap(({ body }) =>
          JSON.parse(body.toString()).resourceSpans.flatMap(
            (resource: { scopeSpans: readonly { spans: ReceivedSpan[] }[] }) =>
              resource.scopeSpans.flatMap((scope) => scope.spans),
          ),
        ),
    close: () => void server.close(),
  }
}

/** Returns the value of a span's attribute. */
export const attributeOf = (span: ReceivedSpan | undefined, name: string): unknown =>
  Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0]
