import DOMPurify from "dompurify"
import MarkdownIt from "markdown-it"
import { highlighted } from "./highlight.ts"
import { prose } from "./prose.ts"
import { settledHtml } from "./settled-html.ts"

/** Above this many characters, code is shown without colours, and text without Markdown. */
const mostCoded = 20_000
const mostMarkdown = 200_000

const isWebAddress = (url: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(url)

const markdown = new MarkdownIt({
  html: false,
  // Models, like people in a chat, mean the line breaks that they write.
  breaks: true,
  highlight: (code, language) => (code.length <= mostCoded ? (highlighted(code, language) ?? "") : ""),
})
// An image would ask another server, which the content policy refuses: its link remains.
markdown.disable("image")
markdown.validateLink = isWebAddress

const tags = [
  ...["a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s"],
  ...["span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"],
]

const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

/** A link opens elsewhere, learns nothing about this page, and says where it leads unless its text is that address. */
const settleLink = (link: HTMLAnchorElement): void => {
  link.target = "_blank"
  link.rel = "noopener noreferrer nofollow"
  const host = hostOf(link.href)
  if (host !== "" && hostOf((link.textContent ?? "").trim()) !== host) link.after(` (${host})`)
}

/** Returns what a text in Markdown shows, without anything that acts: no markup of its own, no images, no addresses but those of the web. */
export const renderMarkdown = (text: string): DocumentFragment => {
  const shown = prose(text)
  if (shown.length > mostMarkdown) {
    const plain = document.createElement("pre")
    plain.textContent = shown
    const whole = document.createDocumentFragment()
    whole.append(plain)
    return whole
  }
  const fragment = DOMPurify.sanitize(settledHtml(markdown.render(shown)), {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "class", "start"],
    ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
  })
  for (const link of fragment.querySelectorAll("a")) settleLink(link)
  for (const scrolling of fragment.querySelectorAll<HTMLElement>("pre, table")) scrolling.tabIndex = 0
  return fragment
}
