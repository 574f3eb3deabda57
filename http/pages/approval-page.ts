import type { Approval } from "../../sessions/decide/approval.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Escapes a text for HTML, so that texts from models and tools never become markup. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? "")

// eslint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Writes out characters that a browser hides or shows in another order. */
const visible = (text: string): string =>
  text.replaceAll(unseen, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const pageStyle = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1.5rem;overflow-wrap:anywhere}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.5rem 0 .4rem}h3{font:.85rem ui-monospace,monospace;color:#777;margin:.6rem 0 .2rem}
pre{white-space:pre-wrap;margin:0;padding:.8rem;border:1px solid #8886;border-radius:.4rem;max-height:24rem;overflow:auto;font-size:.9rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem;color:#777}dd{margin:0}
textarea{width:100%;box-sizing:border-box;font:inherit;padding:.5rem;min-height:5rem}
button{font:inherit;padding:.6rem 1.2rem;border-radius:.4rem;border:1px solid #8888;cursor:pointer;margin:.8rem .6rem 0 0}
button.yes{background:#186a3b;color:#fff;border-color:#186a3b}button.no{background:#922b21;color:#fff;border-color:#922b21}`

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${pageStyle}</style></head>
<body>${body}</body></html>
`

const block = (text: string): string => `<pre>${escapeHtml(visible(text))}</pre>`

/** Shows a text with its line breaks, and other values as indented JSON. */
const argumentHtml = ([name, value]: readonly [string, unknown]): string =>
  `<h3>${escapeHtml(visible(name))}</h3>${block(typeof value === "string" ? value : JSON.stringify(value, null, 2))}`

const callHtml = (call: Approval["pending"][number]): string =>
  `<h2>${escapeHtml(visible(call.name))}</h2>${Object.entries(call.arguments).map(argumentHtml).join("")}`

const decisionForm = `<form method="post"><label for="content">Reason for a rejection (optional)</label>
<textarea id="content" name="content" maxlength="65536"></textarea>
<button class="yes" name="action" value="accept">Approve all</button>
<button class="no" name="action" value="reject">Reject all</button></form>`

const answerForm = `<form method="post"><label for="content">Your answer</label>
<textarea id="content" name="content" maxlength="65536" required></textarea>
<button class="yes" name="action" value="custom_result">Send</button></form>`

/** Returns a page with the pending calls, complete and unchanged, and the form that decides them. */
export const approvalPage = (approval: Approval): string => {
  const asks = approval.type === "input_required"
  const title = asks ? "An agent has a question" : "An agent requests approval"
  const facts = [
    ["Task", approval.title ?? approval.session_id],
    ["Session", approval.session_id],
    ["Agent", approval.agent],
    ["Since", approval.opened_at],
  ]
  return page(
    title,
    `<h1>${title}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value ?? "")}</dd>`).join("")}</dl>
${approval.message === "" ? "" : `<h2>The agent says</h2>${block(approval.message)}`}
${approval.pending.map(callHtml).join("\n")}
${asks ? answerForm : decisionForm}`,
  )
}

export const outcomePage = (title: string, text: string): string =>
  page(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`)
