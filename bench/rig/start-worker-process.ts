import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** Starts `worker-process.ts` with these arguments, and waits until it is ready. */
export const startWorkerProcess = async (...args: readonly string[]): Promise<ChildProcess> => {
  const program = fileURLToPath(new URL("worker-process.ts", import.meta.url))
  const child = spawn(process.execPath, ["--expose-gc", program, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  for await (const line of createInterface(child.stdout)) if (line === "ready") return child
  throw new Error("the worker ended before it was ready")
}
