import { readdir } from "node:fs/promises"
import path from "node:path"
import { findService } from "../../service/ask-service.ts"

/** Ends the services of all data directories in a folder that is about to be removed: a command that a test ran has started them. */
export const endServicesIn = async (folder: string): Promise<void> => {
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  const addresses = files.filter((file) => path.basename(file) === "address.json")
  for (const address of addresses) {
    const found = await findService(path.dirname(path.dirname(path.join(folder, address))))
    if (found !== undefined) process.kill(found.status.pid, "SIGKILL")
  }
}
