import protobuf from "protobufjs/light.js"

const fields = (all: Readonly<Record<string, readonly [type: string, id: number, rule?: "repeated"]>>) => ({
  fields: Object.fromEntries(
    Object.entries(all).map(([name, [type, id, rule]]) => [
      name,
      { type, id, ...(rule === undefined ? {} : { rule }) },
    ]),
  ),
})

/** The messages of OTLP that are sent, with the fields that are used. */
const root = protobuf.Root.fromJSON({
  nested: {
    traces: fields({ resourceSpans: ["ResourceSpans", 1, "repeated"] }),
    logs: fields({ resourceLogs: ["ResourceLogs", 1, "repeated"] }),
    ResourceSpans: fields({ resource: ["Resource", 1], scopeSpans: ["ScopeSpans", 2, "repeated"] }),
    ResourceLogs: fields({ resource: ["Resource", 1], scopeLogs: ["ScopeLogs", 2, "repeated"] }),
    Resource: fields({ attributes: ["KeyValue", 1, "repeated"] }),
    ScopeSpans: fields({ scope: ["Scope", 1], spans: ["Span", 2, "repeated"] }),
    ScopeLogs: fields({ scope: ["Scope", 1], logRecords: ["LogRecord", 2, "repeated"] }),
    Scope: fields({ name: ["string", 1] }),
    Span: fields({
      traceId: ["bytes", 1],
      spanId: ["bytes", 2],
      parentSpanId: ["bytes", 4],
      name: ["string", 5],
      kind: ["int32", 6],
      startTimeUnixNano: ["fixed64", 7],
      endTimeUnixNano: ["fixed64", 8],
      attributes: ["KeyValue", 9, "repeated"],
      events: ["Event", 11, "repeated"],
      status: ["Status", 15],
    }),
    Event: fields({
      timeUnixNano: ["fixed64", 1],
      name: ["string", 2],
      attributes: ["KeyValue", 3, "repeated"],
    }),
    Status: fields({ message: ["string", 2], code: ["int32", 3] }),
    LogRecord: fields({
      timeUnixNano: ["fixed64", 1],
      severityNumber: ["int32", 2],
      severityText: ["string", 3],
      body: ["AnyValue", 5],
      attributes: ["KeyValue", 6, "repeated"],
    }),
    KeyValue: fields({ key: ["string", 1], value: ["AnyValue", 2] }),
    AnyValue: {
      ...fields({
        stringValue: ["string", 1],
        boolValue: ["bool", 2],
        intValue: ["int64", 3],
        doubleValue: ["double", 4],
        arrayValue: ["ArrayValue", 5],
      }),
      // Otherwise an empty text, or 0, would be no value.
      oneofs: { value: { oneof: ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue"] } },
    },
    ArrayValue: fields({ values: ["AnyValue", 1, "repeated"] }),
  },
})

/** In JSON, ids are hexadecimal, against the rule of Protocol Buffers for bytes. */
const ids = new Set(["traceId", "spanId", "parentSpanId"])

/** Returns a body in the binary form of Protocol Buffers. */
export const encodeOtlp = (signal: "traces" | "logs", body: object): Uint8Array => {
  const withBytes: Record<string, unknown> = JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    ids.has(key) && typeof value === "string" ? Buffer.from(value, "hex").toString("base64") : value,
  )
  const type = root.lookupType(signal)
  return type.encode(type.fromObject(withBytes)).finish()
}
