import { byId } from "./element.js"

const tokenKey = "adjutant-token"
const headers = () => {
  const token = sessionStorage.getItem(tokenKey)
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

/** The code of the link that `adjutant dev` prints is valid once: it leaves the address, and the server answers it with the token. */
const exchangeCode = async () => {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return
  history.replaceState(null, "", location.pathname)
  const response = await fetch("/page-token", {
    method: "POST",
    body: JSON.stringify({ code }),
    headers: { "content-type": "application/json" },
  })
  if (response.ok) sessionStorage.setItem(tokenKey, (await response.json()).token)
}

const exchanged = exchangeCode().catch(() => undefined)

let asking

/** Asks for the token once, however many requests want one. */
const askForToken = () => {
  asking ??= new Promise((resolve) => {
    const dialog = byId("sign-in")
    dialog.addEventListener(
      "close",
      () => {
        sessionStorage.setItem(tokenKey, byId("token").value.trim())
        asking = undefined
        resolve()
      },
      { once: true },
    )
    dialog.showModal()
  })
  return asking
}

const reach = async (path, options) => {
  await exchanged
  try {
    return await fetch(path, { ...options, headers: { ...headers(), ...options.headers } })
  } catch (error) {
    if (error.name === "AbortError") throw error
    throw new Error("The server does not answer. Trying again …", { cause: error })
  }
}

const send = async (path, options) => {
  const response = await reach(path, options)
  if (response.status !== 401) return response
  await askForToken()
  return send(path, options)
}

/** An answer that is no success carries the server's own sentence. */
export const request = async (method, path, body) => {
  const options =
    body === undefined
      ? { method }
      : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  if (method === "POST") options.headers = { ...options.headers, "idempotency-key": crypto.randomUUID() }
  const response = await send(path, options)
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.error ?? `The server answered ${response.status}.`)
  return answer
}

/**
 * Follows a session's events until the signal fires; picks up where it was after a broken connection. `after` is the id of an event, or
 * "now". `onOpen` is told of every connection, `onLost` of every one that broke.
 */
export const follow = async (sessionId, { after, signal, onEvent, onOpen, onLost }) => {
  let last = after
  while (!signal.aborted) {
    try {
      const start = last === "now" ? "live=true" : `after=${last}`
      const response = await send(`/v1/sessions/${sessionId}/events?${start}`, { signal })
      if (!response.ok) throw new Error(`The server answered ${response.status}.`)
      onOpen()
      for await (const event of readEvents(response.body)) {
        if (event.id !== undefined) last = event.id
        onEvent(event)
      }
    } catch (error) {
      if (signal.aborted) return
      onLost(error)
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += value
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const event = parseFrame(text.slice(0, end))
      text = text.slice(end + 2)
      if (event !== undefined) yield event
    }
  }
}

const parseFrame = (frame) => {
  const fields = { data: "" }
  for (const line of frame.split("\n")) {
    const colon = line.indexOf(":")
    if (colon <= 0) continue
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).replace(/^ /, "")
    fields[name] = name === "data" ? fields.data + value : value
  }
  if (fields.data === "") return undefined
  const data = JSON.parse(fields.data)
  return { ...data, type: fields.event ?? data.type, ...(fields.id === undefined ? {} : { id: Number(fields.id) }) }
}
