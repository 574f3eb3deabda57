import { EventEmitter } from "node:events"
import { describe, expect, it } from "vitest"
import { listenForInterrupts } from "../../../../cli/terminal/interrupts.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { failed, stubEnvironment, type StubOptions } from "../stub-environment.ts"

const cancelled: OutcomeDocument = {
  ...failed,
  stop_reason: "cancelled",
  error: { code: "cancelled", message: "cancelled" },
}

/** A run that ends only when it is cancelled. */
const endlessRun = (options: Pick<StubOptions, "now" | "handOverError"> = {}) => {
  let cancel = (): void => undefined
  const waiting = Promise.withResolvers<void>()
  const final = new Promise<void>((resolve) => (cancel = resolve))
  const stub = stubEnvironment({
    ...options,
    client: {
      wait: async () => {
        waiting.resolve()
        await final
        return cancelled
      },
      cancel: async () => {
        cancel()
        return { status: "cancelled" }
      },
    },
  })
  return { ...stub, waiting: waiting.promise, finish: () => cancel() }
}

describe("a signal during a run", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s cancels the run, waits until it is final and prints its document", async (signal, exitCode) => {
    const stub = endlessRun()
    const ended = runCli(["run", "p", "--output", "json"], stub.environment)
    await stub.waiting
    stub.signals.emit(signal)
    expect(await ended).toBe(exitCode)
    expect(stub.argumentOf("cancel")).toBe("abc123")
    expect(JSON.parse(stub.written.stdout)).toMatchObject({ outcome: "failed", stop_reason: "cancelled" })
    expect(stub.names().at(-1)).toBe("close")
  })

  it("does not cancel the run with --detach-on-signal", async () => {
    const stub = endlessRun()
    const ended = runCli(["run", "p", "--output", "json", "--detach-on-signal"], stub.environment)
    await stub.waiting
    stub.signals.emit("SIGTERM")
    expect(await ended).toBe(143)
    expect(stub.names()).not.toContain("cancel")
    expect(JSON.parse(stub.written.stdout)).toMatchObject({ outcome: "started", task_id: "abc123" })
  })

  it("leaves the run to the service when the terminal is closed, also if that is signalled twice", async () => {
    let clock = 0
    const stub = endlessRun({ now: () => clock })
    const ended = runCli(["run", "p", "--output", "json"], stub.environment)
    await stub.waiting
    stub.signals.emit("SIGHUP")
    clock = 60_000
    stub.signals.emit("SIGHUP")
    expect([await ended, stub.exits]).toEqual([129, []])
    expect(stub.names()).not.toContain("cancel")
    expect(JSON.parse(stub.written.stdout)).toMatchObject({ outcome: "started", task_id: "abc123" })
  })

  it("does not end a process that outlives its terminal", () => {
    const signals = new EventEmitter()
    const interrupts = listenForInterrupts(signals, { exit: () => undefined, now: () => 0, echoMs: 0, hangsUp: false })
    signals.emit("SIGHUP")
    expect(interrupts.received()).toBeUndefined()
    signals.emit("SIGTERM")
    expect(interrupts.received()).toBe("SIGTERM")
  })

  it("exits at once at the second signal, but not at an echo of the first", async () => {
    let now = 0
    const stub = endlessRun({ now: () => now })
    const ended = runCli(["run", "p"], stub.environment)
    await stub.waiting
    stub.signals.emit("SIGINT")
    now = 100
    stub.signals.emit("SIGINT")
    expect(stub.exits).toEqual([])
    now = 1000
    stub.signals.emit("SIGINT")
    expect(stub.exits).toEqual([130])
    stub.finish()
    await ended
  })

  it("interrupts a wait without cancelling anything", async () => {
    const stub = endlessRun()
    const ended = runCli(["wait", "abc123"], stub.environment)
    await stub.waiting
    stub.signals.emit("SIGINT")
    expect(await ended).toBe(130)
    expect(stub.names()).not.toContain("cancel")
  })

  it("stops a start that hangs before anything was started", async () => {
    const stub = stubEnvironment()
    const never = { ...stub.environment, openTasks: () => new Promise<never>(() => undefined) }
    const ended = runCli(["run", "p"], never)
    await Promise.resolve()
    stub.signals.emit("SIGINT")
    expect(await ended).toBe(130)
    expect(stub.written.stdout).toBe("")
  })
})
