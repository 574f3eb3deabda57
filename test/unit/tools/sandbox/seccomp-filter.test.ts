import { expect, test } from "vitest"
import { filteredArchitectures } from "../../../../tools/sandbox/seccomp/system-calls.ts"
import { seccompFilter } from "../../../../tools/sandbox/seccomp/seccomp-filter.ts"

interface Call {
  readonly number: number
  readonly audit: number
  readonly args?: readonly number[]
}

/** Runs a filter as the kernel does, and returns its result. */
const run = (filter: Buffer, { number, audit, args = [] }: Call): number => {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(audit >>> 0, 4)
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index)
  let accumulator = 0
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, ifTrue, ifFalse] = [filter.readUInt16LE(at * 8), filter[at * 8 + 2] ?? 0, filter[at * 8 + 3] ?? 0]
    const value = filter.readUInt32LE(at * 8 + 4)
    const jump = (holds: boolean): void => void (at += holds ? ifTrue : ifFalse)
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x15) jump(accumulator === value)
    else if (code === 0x35) jump(accumulator >= value)
    else if (code === 0x45) jump((accumulator & value) !== 0)
    else if (code === 0x06) return value
    else throw new Error(`unknown operation ${code}`)
  }
  throw new Error("the filter has no end")
}

const allowed = 0x7fff0000
const refused = (errno: number): number => 0x00050000 | errno

test.each(["x64", "arm64"])("the filter for %s refuses ways out of a sandbox, and nothing else", (name) => {
  const filter = seccompFilter(name)!
  const { audit, calls } = filteredArchitectures[name]!
  const result = (number: number, ...args: readonly number[]) => run(filter, { number, audit, args })
  for (const [call, number] of Object.entries(calls.denied)) expect(result(number), call).toBe(refused(1))
  expect(result(calls.clone3)).toBe(refused(38))
  expect(result(calls.clone, 0x1200011)).toBe(allowed)
  for (const flag of [0x10000000, 0x20000, 0x20000000, 0x40000000]) {
    expect(result(calls.clone, flag | 17)).toBe(refused(1))
    expect(result(calls.unshare, flag)).toBe(refused(1))
  }
  expect(result(calls.unshare, 0x400)).toBe(allowed)
  expect(result(calls.ioctl, 0, 0x5412)).toBe(refused(1))
  // The kernel ignores the upper half of the argument.
  expect(result(calls.ioctl, 0, 0x1_0000_5412)).toBe(refused(1))
  expect(result(calls.ioctl, 0, 0x541c)).toBe(refused(1))
  expect(result(calls.ioctl, 0, 0x5413)).toBe(allowed)
  for (const family of [1, 2, 10, 16]) expect(result(calls.socket, family)).toBe(allowed)
  for (const family of [17, 38, 40]) expect(result(calls.socket, family)).toBe(refused(97))
  expect(result(calls.openat2)).toBe(refused(38))
  for (const [number, mode] of calls.modes) {
    const withMode = (bits: number) => result(number, ...Array.from({ length: mode }, () => 0), bits)
    expect(withMode(0o1777)).toBe(allowed)
    for (const bits of [0o4755, 0o2755, 0o106644]) expect(withMode(bits)).toBe(refused(1))
  }
  for (const [number, flags, mode] of calls.opens) {
    const opening = (how: number, bits: number) =>
      result(number, ...Array.from({ length: mode }, (_, index) => (index === flags ? how : 0)), bits)
    expect(opening(0, 0o4755)).toBe(allowed)
    expect(opening(0x41, 0o755)).toBe(allowed)
    for (const how of [0x41, 0x410002]) expect(opening(how, 0o4755)).toBe(refused(1))
  }
  const special = new Set([...Object.values(calls.denied), calls.clone3, calls.socket, calls.openat2])
  const others = Array.from({ length: 460 }, (_, number) => number).filter((number) => !special.has(number))
  for (const number of others) expect(result(number, 0, 0), String(number)).toBe(allowed)
})

test("programs of another architecture are ended, and there is no filter for an unknown one", () => {
  const filter = seccompFilter("x64")!
  expect(run(filter, { number: 1, audit: 0x40000003 })).toBe(0x80000000)
  expect(run(filter, { number: 0x40000001, audit: 0xc000003e })).toBe(refused(38))
  expect(seccompFilter("riscv64")).toBeUndefined()
  expect(seccompFilter("toString")).toBeUndefined()
})
