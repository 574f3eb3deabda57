import { focusApproval, startApprovals } from "./approvals-inbox.js"
import { connection } from "./connection.js"
import { byId } from "./element.js"
import { nextSession, previousSession, selectSession, startSessionTree } from "./session-tree.js"
import { startStopAll } from "./stop-all.js"
import { openTranscript, startTranscript } from "./transcript-view.js"

const server = connection("transcript")

const show = (view) => {
  document.querySelector("main").dataset.view = view
  for (const button of document.querySelectorAll("header nav button"))
    button.setAttribute("aria-pressed", String(button.dataset.view === view))
}

const open = async (id) => {
  selectSession(id)
  show("transcript")
  history.replaceState(null, "", `#${id}`)
  try {
    await openTranscript(id)
  } catch (error) {
    server.lost(error)
  }
}

const keys = {
  j: nextSession,
  k: previousSession,
  a: () => focusApproval(location.hash.slice(1)),
  s: () => byId("text").focus(),
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.activeElement?.blur()
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
})

for (const button of document.querySelectorAll("header nav button"))
  button.addEventListener("click", () => show(button.dataset.view))

startTranscript(open)
startStopAll()
startSessionTree(open)
startApprovals(open, () => show("approvals"))
if (/^#[a-z0-9]+$/.test(location.hash)) void open(location.hash.slice(1))
