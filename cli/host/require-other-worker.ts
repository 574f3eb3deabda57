import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionHost } from "./session-host.ts"

/** `--detach` leaves the work to a worker that must already be there. Throws `no_worker`. */
export const requireOtherWorker = async ({ client }: SessionHost): Promise<void> => {
  if (await client.hasWorker()) return
  throw new AdjutantError(
    "no_worker",
    "--detach needs a worker that goes on: start `adjutant worker` or `adjutant dev` first.",
  )
}
