import { isRecord } from "../../domain/text/is-record.ts"
import { fieldsOf, optionalCount, requiredText, unreadable } from "../lenient.ts"
import type { StreamedCall } from "../answer/parse-tool-arguments.ts"
import { joinFields, type OpaqueFields, opaqueFields } from "./opaque-fields.ts"

interface GrowingCall {
  readonly index: number | undefined
  id: string | undefined
  name: string
  rawArguments: string
  fields: OpaqueFields
  functionFields: OpaqueFields
}

/** A call with what only its server understands. */
export interface ChatCall extends StreamedCall {
  readonly opaque: ChatCallMark | undefined
}

/** The fields of a call that are not understood, and those of its function. */
export interface ChatCallMark {
  readonly fields: OpaqueFields
  readonly functionFields: OpaqueFields
}

const understood = new Set(["index", "id", "type", "function"])
const understoodOfFunction = new Set(["name", "arguments"])

/** Assembles the calls of an answer from their pieces. */
export class ChatCalls {
  readonly #calls: GrowingCall[] = []

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /** All arguments. */
  get text(): string {
    return this.#calls.map(({ rawArguments }) => rawArguments).join("")
  }

  add(raw: unknown, path: string): void {
    if (!isRecord(raw)) throw unreadable(path, raw)
    const called = raw["function"] ?? {}
    if (!isRecord(called)) throw unreadable(`${path}.function`, called)
    const id = typeof raw["id"] === "number" ? String(raw["id"]) : requiredText(raw["id"], `${path}.id`) || undefined
    const name = requiredText(called["name"], `${path}.function.name`)
    const call = this.#callOf({ index: optionalCount(raw["index"]), id, name })
    call.id ??= id
    if (call.name !== name) call.name += name
    const args = called["arguments"]
    call.rawArguments += isRecord(args) ? JSON.stringify(args) : requiredText(args, `${path}.function.arguments`)
    call.fields = joinFields(call.fields, opaqueFields(raw, understood))
    call.functionFields = joinFields(call.functionFields, opaqueFields(fieldsOf(called), understoodOfFunction))
  }

  /** Returns the calls. What a server sent twice, with the same id, name and arguments, is one call. */
  finish(): readonly ChatCall[] {
    const seen = new Set<string>()
    return this.#calls.flatMap(({ id, name, rawArguments, fields, functionFields }) => {
      const whole = JSON.stringify([id, name, rawArguments])
      if (id !== undefined && seen.has(whole)) return []
      seen.add(whole)
      const hasFields = Object.keys(fields).length + Object.keys(functionFields).length > 0
      return [{ id, name, rawArguments, opaque: hasFields ? { fields, functionFields } : undefined }]
    })
  }

  #callOf(piece: Pick<GrowingCall, "index" | "id" | "name">): GrowingCall {
    const known = this.#knownCall(piece)
    if (known !== undefined) return known
    const call = { ...piece, name: "", rawArguments: "", fields: {}, functionFields: {} }
    this.#calls.push(call)
    return call
  }

  /**
   * Returns the call that a piece continues: the one with its index, or without an index that with its id, or without both the last one. A piece without a
   * name starts no call next to another: some servers give every piece a new id. Others give every call index 0, so that a name with a new id starts one.
   */
  #knownCall({ index, id, name }: Pick<GrowingCall, "index" | "id" | "name">): GrowingCall | undefined {
    if (index !== undefined)
      return this.#calls.findLast(
        (call) => call.index === index && (name === "" || call.name === "" || !id || !call.id || call.id === id),
      )
    const same = id === undefined ? undefined : this.#calls.find((call) => call.id === id)
    return same ?? (name === "" ? this.#calls.at(-1) : undefined)
  }
}
