import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { TaskHost } from "./task-host.ts"

/** Requires a worker in another process, to which `--detach` leaves the work. Throws `no_worker`. */
export const requireOtherWorker = async ({ client }: Pick<TaskHost, "client">): Promise<void> => {
  if (await client.hasWorker()) return
  throw new AdjutantError(
    "no_worker",
    "no worker is running that could do the work: start `adjutant worker` or `adjutant dev` first",
  )
}
