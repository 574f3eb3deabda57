/** A phrase that the project's English does not use, and what to write instead. */
export interface Phrase {
  /** Source of a regular expression that matches whole words, in upper or lower case; a space matches a line break, too. */
  readonly pattern: string
  readonly instead: string
}

/** Phrases that a reader has to translate, by the concept that they stand for. */
export const phrases: readonly Phrase[] = [
  // People and processes.
  { pattern: "whoever", instead: "the user, the approver, the caller who …" },
  { pattern: "who works", instead: "worker" },
  {
    pattern: "(?:is|are) living|living (?:process|worker|session|server|run|child|descendant)\\w*",
    instead: "running",
  },
  { pattern: "lives(?! (?:of|in (?:danger|peace)))", instead: "is running; is in; applies" },
  { pattern: "looked after|looks after", instead: "managed, served, checked by" },
  { pattern: "somebody", instead: "someone, a user, a client" },
  // Personification of code.
  { pattern: "(?:hears?|heard)", instead: "is told, receives" },
  { pattern: "tells", instead: "says to whom? reports, announces, returns, distinguishes" },
  { pattern: "believes?", instead: "expects, assumes, records" },
  { pattern: "wants", instead: "requires, needs, requests" },
  { pattern: "wish(?:es|ed)?", instead: "request, requested" },
  { pattern: "has the word|the word of|at (?:its|his|their) word", instead: "decision; what … reports" },
  // Place and state.
  {
    pattern: "stands|stand (?:in|at|above|below|beside|under|there|here|by|on|for)(?! the way)",
    instead: "is in, is at; represents",
  },
  { pattern: "beside", instead: "next to; besides, in addition to" },
  {
    pattern: "holds?(?! (?:\\S+ )?(?:locks?|leases?|slots?|claims?|connections?|sockets?)\\b)",
    instead: "contains, stores, keeps, enforces",
  },
  { pattern: "as (?:it|they) stands?", instead: "as is, unchanged" },
  { pattern: "(?:comes?|came) to rest|at rest(?! \\(encrypted)|standstill", instead: "pauses, is paused" },
  { pattern: "stays? whole|kept whole", instead: "stays complete, is not lost" },
  { pattern: "cannot be lost", instead: "durable; survives …" },
  { pattern: "is over", instead: "has ended, is no longer open" },
  { pattern: "waits? since", instead: "waiting for <duration>" },
  { pattern: "lives? by", instead: "uses, applies" },
  { pattern: "(?:comes?|came) of", instead: "results from" },
  { pattern: "last words", instead: "last lines of output" },
  { pattern: "sightings?", instead: "observations, checks" },
  { pattern: "endings|(?:an|its|their|each|every) ending(?! (?:in|with|the|a|an))", instead: "outcome, end" },
  { pattern: "(?:what|that) (?:is|was) said", instead: "messages, transcript, content" },
  { pattern: "nothing of", instead: "no part of, not … any of" },
  { pattern: "what waits", instead: "what is pending" },
  { pattern: "if need be", instead: "if necessary" },
  { pattern: "for so long", instead: "for this long, for <duration>" },
  { pattern: "learns", instead: "is told, receives" },
  { pattern: "is there for", instead: "is for" },
  { pattern: "for ever", instead: "permanently" },
  // Verbs of the field.
  { pattern: "(?:goes|going|went|gone|go) on(?= |[.,;:)]|$)", instead: "continue" },
  { pattern: "cross(?:es|ed|ing)? over", instead: "continue as new" },
  { pattern: "(?:goes|go|going|went) before", instead: "takes precedence over; precedes" },
  { pattern: "gives? out|given out|gave out", instead: "assigns, issues" },
  {
    pattern: "(?:by|in) (?:no|which|what|any|every|other) ways?(?! to)",
    instead: "how, not at all, through which channel",
  },
  { pattern: "takes? no(?! longer)", instead: "does not accept" },
  { pattern: "(?:is|are|was|were) to be", instead: "must be, will be, can be" },
  {
    pattern:
      "(?<!\\b(?:there|that|it) )(?:is|are|was|were) (?:no|none)(?! (?:longer|more|less|fewer|different|better|\\w+er)\\b)",
    instead: "is not a …, is not one of …",
  },
  { pattern: "anew", instead: "again; start a new …" },
  { pattern: "once more", instead: "again" },
  { pattern: "what there is", instead: "what exists; the … so far" },
  { pattern: "all that(?= (?:waits|runs|is|was|has|a|the))", instead: "everything that" },
  { pattern: "lest|whence|thence|wherein|therein|thereof|hereby|albeit|shall", instead: "a plain word" },
]

const expressionOf = ({ pattern }: Phrase): RegExp =>
  new RegExp(`(?<![\\w-])(?:${pattern.replaceAll(/(?<!\(\?<?[!=]) /g, "\\s+")})(?![\\w-])`, "gi")

const expressions = phrases.map((phrase) => ({ ...phrase, expression: expressionOf(phrase) }))

/** Returns the phrases found in a text, with their offsets. */
export const phrasesIn = (text: string): readonly (Phrase & { readonly found: string; readonly offset: number })[] =>
  expressions.flatMap(({ expression, ...phrase }) =>
    [...text.matchAll(expression)].map((match) => ({
      ...phrase,
      found: match[0].replaceAll(/\s+/g, " "),
      offset: match.index,
    })),
  )
