import MarkdownIt from "markdown-it"
import { visible } from "../../domain/text/visible.ts"

/** Above this many characters, a text is shown as it is. */
const mostMarkdown = 200_000

const isWebAddress = (url: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(url)

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "")

// Models, like people in a chat, mean the line breaks that they write. An image would ask another server.
const markdown = new MarkdownIt({ html: false, breaks: true }).disable("image")
markdown.validateLink = isWebAddress

/** Headings of a message are smaller than those of the page. */
const deepestHeading = 6
const loweredHeading = (tag: string): string => `h${Math.min(deepestHeading, Number(tag.slice(1)) + 2)}`

/** A link opens elsewhere, without a word about this page, and is followed by where it leads. */
markdown.core.ruler.push("settle", ({ tokens }) => {
  for (const token of tokens) {
    if (token.type === "heading_open" || token.type === "heading_close") token.tag = loweredHeading(token.tag)
    const hosts: string[] = []
    for (const child of token.children ?? []) {
      if (child.type === "link_open") {
        hosts.push(hostOf(String(child.attrGet("href") ?? "")))
        child.attrSet("target", "_blank")
        child.attrSet("rel", "noopener noreferrer nofollow")
      }
      if (child.type === "link_close") child.meta = { host: hosts.pop() }
    }
  }
})
markdown.renderer.rules["link_close"] = (tokens, index) => {
  const host: unknown = tokens[index]?.meta?.host
  return `</a>${typeof host === "string" && host !== "" ? ` (${markdown.utils.escapeHtml(host)})` : ""}`
}

/** Returns a text of an agent as HTML, as the web page shows it in a transcript: no markup of its own, no images, no addresses but those of the web. */
export const messageHtml = (text: string): string => {
  const shown = visible(text)
  return shown.length > mostMarkdown
    ? `<pre>${markdown.utils.escapeHtml(shown)}</pre>`
    : `<div class="message">${markdown.render(shown)}</div>`
}
