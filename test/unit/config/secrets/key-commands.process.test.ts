import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createKeyCommands } from "../../../../config/secrets/key-commands.ts"
import { secretsSince } from "../../../../config/secrets/secret-files.ts"

/** A program that prints `key-1`, `key-2`, … */
const counting = `
const { appendFileSync, readFileSync } = require("node:fs")
appendFileSync(process.argv[1], ".")
console.log("key-" + readFileSync(process.argv[1], "utf8").length)`

const open = () => {
  const file = join(mkdtempSync(join(tmpdir(), "adjutant-keys-")), "runs")
  const env = {}
  let nowMs = 0
  const commands = createKeyCommands(env, () => nowMs)
  const command = { command: process.execPath, args: ["-e", counting, file], expiresSeconds: 60 }
  return {
    env,
    key: () => commands.keyOf(command, {}),
    forget: () => commands.forget(command),
    pass: (ms: number) => void (nowMs += ms),
    runs: () => readFileSync(file, "utf8").length,
  }
}

describe("the program of a key", () => {
  test("runs once for all who wait, and again when the key has expired or was refused", async () => {
    const { env, key, forget, pass, runs } = open()
    expect(await Promise.all([key(), key()])).toEqual(["key-1", "key-1"])
    pass(59_999)
    expect(await key()).toBe("key-1")
    pass(1)
    expect(await key()).toBe("key-2")
    forget()
    expect(await key()).toBe("key-3")
    expect(runs()).toBe(3)
    expect(secretsSince(env)).toEqual(["key-1", "key-2", "key-3"])
  })

  test.each([
    [["-e", "console.error('not signed in'); process.exit(3)"], /exit code 3: not signed in$/],
    [["-e", ""], /must print the key alone, in one line$/],
    [["-e", "console.log('two words')"], /must print the key alone, in one line$/],
  ])("that gives no key is named with the reason, and runs again for the next caller", async (args, reason) => {
    const commands = createKeyCommands({})
    const command = { command: process.execPath, args, expiresSeconds: 60 }
    await expect(commands.keyOf(command, {})).rejects.toThrow(reason)
    await expect(commands.keyOf(command, {})).rejects.toThrow(reason)
  })
})
