import type { Approval } from "../client/adjutant-client.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Texts of models and tools are data: nothing in them becomes markup. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? "")

export const pageStyle = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1.5rem;overflow-wrap:anywhere}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.5rem 0 .4rem}
pre{white-space:pre-wrap;padding:.8rem;border:1px solid #8886;border-radius:.4rem;max-height:24rem;overflow:auto;font-size:.9rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem;color:#777}dd{margin:0}
textarea{width:100%;box-sizing:border-box;font:inherit;padding:.5rem;min-height:5rem}
button{font:inherit;padding:.6rem 1.2rem;border-radius:.4rem;border:1px solid #8888;cursor:pointer;margin:.8rem .6rem 0 0}
button.yes{background:#186a3b;color:#fff;border-color:#186a3b}button.no{background:#922b21;color:#fff;border-color:#922b21}`

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${pageStyle}</style></head>
<body>${body}</body></html>
`

const callHtml = (call: Approval["pending"][number]): string =>
  `<h2>${escapeHtml(call.name)}</h2><pre>${escapeHtml(JSON.stringify(call.arguments, null, 2))}</pre>`

const decisionForm = `<form method="post"><label for="content">Reason of a rejection (optional)</label>
<textarea id="content" name="content" maxlength="65536"></textarea>
<button class="yes" name="action" value="accept">Approve all</button>
<button class="no" name="action" value="reject">Reject all</button></form>`

const answerForm = `<form method="post"><label for="content">Your answer</label>
<textarea id="content" name="content" maxlength="65536" required></textarea>
<button class="yes" name="action" value="custom_result">Send</button></form>`

/** What waits, word for word, and the form that decides. */
export const approvalPage = (approval: Approval): string => {
  const asks = approval.type === "input_required"
  const title = asks ? "An agent asks" : "An agent asks for approval"
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
${approval.message === "" ? "" : `<h2>The agent says</h2><pre>${escapeHtml(approval.message)}</pre>`}
${approval.pending.map(callHtml).join("\n")}
${asks ? answerForm : decisionForm}`,
  )
}

export const outcomePage = (title: string, text: string): string =>
  page(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`)
