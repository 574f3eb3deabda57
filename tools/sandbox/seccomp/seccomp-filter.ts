import { setId } from "../../protection/content.ts"
import { type FilteredArchitecture, filteredArchitectures } from "./system-calls.ts"

/** Operations of classic BPF: see linux/bpf_common.h. */
const operations = {
  loadWord: 0x20,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  jumpIfAnyBit: 0x45,
  return: 0x06,
} as const

/** Where the kernel puts what a filter decides by: struct seccomp_data in linux/seccomp.h, little-endian. */
const places = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index } as const

const allow = 0x7fff0000
const killProcess = 0x80000000
const fail = (errno: number): number => 0x00050000 | errno
const errnos = { notPermitted: 1, noSuchCall: 38, familyNotSupported: 97 } as const

/** CLONE_NEWTIME, CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID and CLONE_NEWNET. */
const namespaceFlags = 0x7e020080
/** `clone` has the signal of the child where `unshare` has CLONE_NEWTIME. */
const cloneNamespaceFlags = 0x7e020000
/** TIOCSTI and TIOCLINUX put text into the input of a terminal. */
const terminalInput = [0x5412, 0x541c] as const
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK. Others, such as AF_VSOCK, are not separated by a network namespace, or only widen what can be attacked. */
const socketFamilies = [1, 2, 10, 16] as const
const localFamily = 1

export interface FilterOptions {
  /** False: no sockets of AF_UNIX, with which a process can connect to one in a directory that it can only read (default: true). */
  readonly allowsLocalSockets: boolean
}

/** O_CREAT and __O_TMPFILE. */
const creating = 0x400040

interface Instruction {
  readonly operation: number
  readonly value: number
  /** Instructions to skip if the condition is true, or not. */
  readonly ifTrue?: number
  readonly ifFalse?: number
}

const load = (place: number): Instruction => ({ operation: operations.loadWord, value: place })
const end = (value: number): Instruction => ({ operation: operations.return, value })

/** Runs `then` if the number of the call is this one, and continues after it otherwise. */
const onCall = (number: number, then: readonly Instruction[]): readonly Instruction[] => [
  { operation: operations.jumpIfEqual, value: number, ifFalse: then.length },
  ...then,
]

const denyIfAnyBit = (argument: number, bits: number): readonly Instruction[] => [
  load(places.argument(argument)),
  { operation: operations.jumpIfAnyBit, value: bits, ifFalse: 1 },
  end(fail(errnos.notPermitted)),
  end(allow),
]

/** Denies a mode with S_ISUID or S_ISGID where a file may be created: other users would run it with the rights of this one. */
const denySetIdIfCreated = (flags: number, mode: number): readonly Instruction[] => [
  load(places.argument(flags)),
  { operation: operations.jumpIfAnyBit, value: creating, ifTrue: 1 },
  end(allow),
  ...denyIfAnyBit(mode, setId),
]

const denyIfOneOf = (argument: number, values: readonly number[]): readonly Instruction[] => [
  load(places.argument(argument)),
  ...values.map((value, index) => ({ operation: operations.jumpIfEqual, value, ifTrue: values.length - index })),
  end(allow),
  end(fail(errnos.notPermitted)),
]

const denyUnlessOneOf = (argument: number, values: readonly number[], errno: number): readonly Instruction[] => [
  load(places.argument(argument)),
  ...values.map((value, index) => ({ operation: operations.jumpIfEqual, value, ifTrue: values.length - index })),
  end(fail(errno)),
  end(allow),
]

/** Refuses the calls of other architectures, which have other numbers, then decides by the number of the call. */
const decideByNumber = (
  { audit, shortPointers }: FilteredArchitecture,
  rules: readonly Instruction[],
): readonly Instruction[] => [
  load(places.architecture),
  // A program of another architecture has other numbers.
  { operation: operations.jumpIfEqual, value: audit, ifTrue: 1 },
  end(killProcess),
  load(places.number),
  ...(shortPointers === undefined
    ? []
    : [{ operation: operations.jumpIfAtLeast, value: shortPointers, ifFalse: 1 }, end(fail(errnos.noSuchCall))]),
  ...rules,
  end(allow),
]

/** Refuses modes with which other users run a file as its owner or group. */
const refuseSetId = ({ calls }: FilteredArchitecture): readonly Instruction[] => [
  ...onCall(calls.openat2, [end(fail(errnos.noSuchCall))]),
  ...calls.modes.flatMap(([number, mode]) => onCall(number, denyIfAnyBit(mode, setId))),
  ...calls.opens.flatMap(([number, flags, mode]) => onCall(number, denySetIdIfCreated(flags, mode))),
]

const refuseWaysOut = (architecture: FilteredArchitecture, families: readonly number[]): readonly Instruction[] => {
  const { calls } = architecture
  return [
    // Its flags are in memory, where a filter cannot read them. Programs use clone instead.
    ...onCall(calls.clone3, [end(fail(errnos.noSuchCall))]),
    ...onCall(calls.clone, denyIfAnyBit(0, cloneNamespaceFlags)),
    ...onCall(calls.unshare, denyIfAnyBit(0, namespaceFlags)),
    ...onCall(calls.ioctl, denyIfOneOf(1, terminalInput)),
    ...onCall(calls.socket, denyUnlessOneOf(0, families, errnos.familyNotSupported)),
    ...refuseSetId(architecture),
    ...Object.values(calls.denied).flatMap((number) => onCall(number, [end(fail(errnos.notPermitted))])),
  ]
}

const withoutLocal = socketFamilies.filter((family) => family !== localFamily)

const instructionBytes = 8

const assemble = (instructions: readonly Instruction[]): Buffer => {
  const bytes = Buffer.alloc(instructions.length * instructionBytes)
  for (const [index, { operation, value, ifTrue = 0, ifFalse = 0 }] of instructions.entries()) {
    const at = index * instructionBytes
    bytes.writeUInt16LE(operation, at)
    bytes.writeUInt8(ifTrue, at + 2)
    bytes.writeUInt8(ifFalse, at + 3)
    bytes.writeUInt32LE(value >>> 0, at + 4)
  }
  return bytes
}

const filteredArchitecture = (name: string): FilteredArchitecture | undefined =>
  Object.hasOwn(filteredArchitectures, name) ? filteredArchitectures[name] : undefined

/**
 * Returns a filter of system calls for `bwrap --seccomp`: it refuses what commands do not need and what has often been a way out of sandboxes.
 * Undefined for an architecture without a filter.
 */
export const seccompFilter = (
  architecture: string,
  { allowsLocalSockets }: FilterOptions = { allowsLocalSockets: true },
): Buffer | undefined => {
  const filtered = filteredArchitecture(architecture)
  const families = allowsLocalSockets ? socketFamilies : withoutLocal
  return filtered === undefined ? undefined : assemble(decideByNumber(filtered, refuseWaysOut(filtered, families)))
}

/** Returns a filter that refuses only modes with setuid and setgid bits, for a sandbox that has a filter of its own. */
export const setIdFilter = (architecture: string): Buffer | undefined => {
  const filtered = filteredArchitecture(architecture)
  return filtered === undefined ? undefined : assemble(decideByNumber(filtered, refuseSetId(filtered)))
}
