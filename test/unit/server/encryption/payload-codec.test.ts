import { randomBytes } from "node:crypto"
import { defaultPayloadConverter, type Payload } from "@temporalio/common"
import { describe, expect, it } from "vitest"
import { createPayloadCodec } from "../../../../server/encryption/payload-codec.ts"

const first = randomBytes(32)
const second = randomBytes(32)
const clear = (value: unknown): Payload => defaultPayloadConverter.toPayload(value)
const valueOf = (payload: Payload | undefined): unknown =>
  payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload)
const one = createPayloadCodec({ current: "one", keys: new Map([["one", first]]) })

describe("payloads", () => {
  it("are encrypted differently each time, and read with their own key after a rotation", async () => {
    const [left, right] = await one.encode([clear("the secret"), clear("the secret")])
    expect(Buffer.from(left?.data ?? []).toString("latin1")).not.toContain("the secret")
    expect(left?.data).not.toEqual(right?.data)
    const rotated = createPayloadCodec({
      current: "two",
      keys: new Map([
        ["two", second],
        ["one", first],
      ]),
    })
    const [later] = await rotated.encode([clear({ later: true })])
    const read = await rotated.decode([left, later].filter((payload) => payload !== undefined))
    expect(read.map(valueOf)).toEqual(["the secret", { later: true }])
  })

  it("that were written before encryption are read as they are, and without a current key nothing is encrypted", async () => {
    expect((await one.decode([clear(5)])).map(valueOf)).toEqual([5])
    const reading = createPayloadCodec({ current: undefined, keys: new Map([["one", first]]) })
    expect(await reading.encode([clear(5)])).toEqual([clear(5)])
    expect((await reading.decode(await one.encode([clear("x")]))).map(valueOf)).toEqual(["x"])
  })

  it("without data, as the engine's library passes them, are encrypted, too", async () => {
    const { metadata } = clear(undefined)
    const empty: Payload = { metadata }
    Reflect.set(empty, "data", [])
    expect((await one.decode(await one.encode([empty]))).map(valueOf)).toEqual([undefined])
  })

  it("with an unknown key, with another key of the same name, or with changed bytes are refused", async () => {
    const [sealed] = await one.encode([clear("x")])
    const payload = sealed ?? {}
    const other = createPayloadCodec({ current: "two", keys: new Map([["two", second]]) })
    await expect(other.decode([payload])).rejects.toThrow("encrypted with the key one: add it to encryption.oldKeys")
    const same = createPayloadCodec({ current: "one", keys: new Map([["one", second]]) })
    await expect(same.decode([payload])).rejects.toThrow(/authenticate/)
    const data = Buffer.from(payload.data ?? [])
    data[data.length - 1] = (data.at(-1) ?? 0) ^ 1
    await expect(one.decode([{ ...payload, data }])).rejects.toThrow(/authenticate/)
  })
})
