import type { StoreLogger } from "../../store/database/database.ts"
import type { Environment } from "../../domain/environment.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { createSpanContents } from "../../domain/trace/span-contents.ts"
import type { Store } from "../../store/store.ts"
import { createTracer } from "./create-tracer.ts"
import type { Tracer } from "../tracer.ts"
import { createSpanExporter } from "./span-exporter.ts"

export interface TracedSurroundings {
  readonly store: Store
  readonly env: Environment
  readonly logger: StoreLogger
  readonly redact: Redact
}

/** Returns the tracer of a process; undefined unless its environment names a receiver. The texts of runs are in spans only if the environment says so. */
export const tracerOf = ({ store, env, logger, redact }: TracedSurroundings): Tracer | undefined => {
  const exportSpans = createSpanExporter(env)
  if (exportSpans === undefined) return undefined
  const isCaptured = env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] === "true"
  const contents = isCaptured ? createSpanContents(redact) : undefined
  return createTracer(store, { exportSpans, contents, logger })
}
