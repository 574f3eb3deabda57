import { element } from "./element.js"

/** The answer that is being written, below the last row, until the transcript holds all of it. */
export const createLiveText = (rows) => {
  let row
  let at
  let settledSeq = 0
  return {
    /** A retried answer begins anew. */
    push({ seq, attempt, text }) {
      if (seq <= settledSeq) return
      const key = `${seq}.${attempt}`
      if (row === undefined || at.key !== key) {
        row?.remove()
        at = { key, seq }
        row = element("li", { class: "row assistant streaming" }, element("div", { class: "text" }))
      }
      if (!row.isConnected) rows.append(row)
      row.firstChild.textContent += text
    },
    /** The transcript was drawn up to a row: what it holds is not shown twice. */
    settle(seq) {
      settledSeq = seq
      if (row === undefined) return
      if (at.seq > seq) rows.append(row)
      else {
        row.remove()
        row = undefined
      }
    },
  }
}
