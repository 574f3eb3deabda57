import { z } from "zod"
import { serviceAddressSchema, type ServiceStatus, serviceStatusSchema } from "../contracts/service/service-status.ts"
import { outgoing } from "../network/outgoing.ts"
import { readWhole } from "../server/process/server-files.ts"
import { serviceFiles } from "./service-files.ts"

/** A service that answers. */
export interface FoundService {
  readonly socket: string
  readonly status: ServiceStatus
}

const answerTimeoutMs = 10_000

const ask = async <Answer>(
  socket: string,
  { path, body }: { readonly path: string; readonly body?: object },
  answer: z.ZodType<Answer>,
): Promise<Answer> => {
  const response = await outgoing(`http://localhost${path}`, {
    socket,
    method: body === undefined ? "GET" : "POST",
    signal: AbortSignal.timeout(answerTimeoutMs),
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  })
  return answer.parse(await response.json())
}

const isAddress = (value: unknown): value is z.infer<typeof serviceAddressSchema> =>
  serviceAddressSchema.safeParse(value).success

/** Returns the service of a data directory; undefined if none answers. */
export const findService = async (dataDir: string): Promise<FoundService | undefined> => {
  const address = readWhole(serviceFiles(dataDir).address, isAddress)
  if (address === undefined) return undefined
  try {
    return { socket: address.socket, status: await ask(address.socket, { path: "/service" }, serviceStatusSchema) }
  } catch {
    return undefined
  }
}

/** Requests that a service ends. `now`: without waiting for calls in flight. */
export const requestStop = async (socket: string, { now }: { readonly now: boolean }): Promise<void> => {
  await ask(socket, { path: "/service/stop", body: { now } }, z.unknown())
}
