import { request } from "./api.js"
import { byId } from "./element.js"
import { counted, isFinal } from "./figures.js"

const say = (text) => {
  byId("connection").textContent = text
}

const stop = async () => {
  byId("stop-all").disabled = true
  say("Stopping every session …")
  try {
    const { items } = await request("POST", "/v1/stop", { all: true })
    const left = items.filter(({ status }) => !isFinal(status)).length
    const ended = counted(items.length - left, "session")
    say(left === 0 ? `Stopped ${ended}.` : `Stopped ${ended}; ${left} still stopping.`)
  } catch (error) {
    say(error.message)
  } finally {
    byId("stop-all").disabled = false
  }
}

/** Asks before it stops everything. */
export const startStopAll = () => {
  const dialog = byId("stop")
  byId("stop-all").addEventListener("click", () => {
    dialog.returnValue = ""
    dialog.showModal()
  })
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "stop") void stop()
  })
}
