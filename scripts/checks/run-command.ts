import { spawn } from "node:child_process"

/** Runs a program with this process's output streams; returns its exit code (128 after a signal, 127 if the program is not found). */
export const runCommand = async (
  command: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> => {
  const [program, ...args] = command
  const child = spawn(program, args, { env, stdio: ["ignore", "inherit", "inherit"] })
  return await new Promise((resolve) => {
    child.on("error", (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(127)
    })
    child.on("exit", (code) => resolve(code ?? 128))
  })
}
