export interface Token {
  readonly kind: "word" | "string" | "template" | "regex" | "mark"
  /** The text as written; a string is without its quotes. */
  readonly text: string
  /** Counted in characters from the start of its line. */
  readonly column: number
  /** Counted from 1. */
  readonly line: number
}

/** Words after which a slash starts a regular expression. */
const operatorWords = new Set(["return", "typeof", "case", "in", "of", "await", "yield", "throw", "void", "else", "do"])

const patterns = {
  space: /\s+/y,
  comment: /\/\/[^\n]*|\/\*[^]*?\*\//y,
  string: /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y,
  template: /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y,
  regex: /\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
  word: /[\w$#]+/y,
  mark: /=>|[^]/y,
} as const

const startsRegex = (previous: Token | undefined): boolean => {
  if (previous === undefined) return true
  if (previous.kind === "word") return operatorWords.has(previous.text)
  return previous.kind === "mark" && !/^[)\]}]$/.test(previous.text)
}

/** Reads one source text from left to right. */
class Scanner {
  readonly tokens: Token[] = []
  readonly #text: string
  #at = 0
  #line = 1
  #lineStart = 0
  /** For each template whose `${` is open: how many braces are open inside it. */
  readonly #openBraces: number[] = []

  constructor(text: string) {
    this.#text = text
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0]
  }

  #advance(taken: string): void {
    this.#at += taken.length
    const lastBreak = taken.lastIndexOf("\n")
    if (lastBreak === -1) return
    this.#line += taken.split("\n").length - 1
    this.#lineStart = this.#at - taken.length + lastBreak + 1
  }

  #push(kind: Token["kind"], taken: string, text = taken): void {
    this.tokens.push({ kind, text, column: this.#at - this.#lineStart, line: this.#line })
    this.#advance(taken)
  }

  /** Reads the text of a template up to its end or its next `${`. */
  #pushTemplate(opening: string): void {
    const at = this.#at
    this.#at += opening.length
    const rest = this.#take(patterns.template) ?? this.#text.slice(this.#at)
    this.#at = at
    this.#push("template", opening + rest)
    if (rest.endsWith("${")) this.#openBraces.push(0)
  }

  #pushMark(mark: string): void {
    const depth = this.#openBraces.length - 1
    const open = this.#openBraces[depth]
    if (mark === "}" && open === 0) {
      this.#openBraces.pop()
      this.#pushTemplate("}")
      return
    }
    if (open !== undefined && /^[{}]$/.test(mark)) this.#openBraces[depth] = open + (mark === "{" ? 1 : -1)
    this.#push("mark", mark)
  }

  scan(): readonly Token[] {
    while (this.#at < this.#text.length) {
      const skipped = this.#take(patterns.space) ?? this.#take(patterns.comment)
      if (skipped !== undefined) {
        this.#advance(skipped)
        continue
      }
      const string = this.#take(patterns.string)
      const regex = startsRegex(this.tokens.at(-1)) ? this.#take(patterns.regex) : undefined
      const word = this.#take(patterns.word)
      if (string !== undefined) this.#push("string", string, string.slice(1, -1))
      else if (this.#text[this.#at] === "`") this.#pushTemplate("`")
      else if (regex !== undefined) this.#push("regex", regex)
      else if (word !== undefined) this.#push("word", word)
      else this.#pushMark(this.#take(patterns.mark) ?? "")
    }
    return this.tokens
  }
}

/** Splits TypeScript into tokens, without comments. This is enough to find statements and names; it does not parse. */
export const scanTokens = (text: string): readonly Token[] => new Scanner(text).scan()
